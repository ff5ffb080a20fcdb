import { expect, it } from 'vitest'
import { exampleConfig } from './example.ts'
import { referredId, resourcesOf, statementsOf, synthesize } from './template.ts'

const config = exampleConfig()
const template = synthesize('prod')
const isCertificates = ({ Metadata }: { readonly Metadata: Readonly<Record<string, unknown>> }) =>
  Metadata['backstop:entry'] === 'functions/certificates/handler.ts'
const [fn] = resourcesOf(template, 'AWS::Lambda::Function').filter(isCertificates)
const secret = resourcesOf(template, 'AWS::SecretsManager::Secret').find(({ id }) => id.includes('wechatpay'))

it('certificates are refreshed at intervals under 12 hours, and a failed round is tried twice more', () => {
  const rules = resourcesOf(template, 'AWS::Events::Rule').filter(({ id }) => id.startsWith('Certificates'))
  const invoke = resourcesOf(template, 'AWS::Lambda::EventInvokeConfig').find(
    ({ Properties }) => referredId(Properties['FunctionName']) === fn?.id,
  )

  expect(rules.map(({ Properties }) => Properties['ScheduleExpression'])).toEqual(['rate(10 hours)'])
  expect(JSON.stringify(rules)).toContain(`"${fn?.id}"`)
  expect(invoke?.Properties).toMatchObject({ MaximumRetryAttempts: 2 })
})

it('the function may read and write the secrets of wechatpay accounts, and no other may write any', () => {
  const statements = statementsOf(template, 'AWS::IAM::Policy').filter(({ Action }) =>
    Action.some((action) => action.startsWith('secretsmanager:')),
  )
  const own = statements.filter(({ policyId }) => policyId.startsWith('Certificates'))
  const writers = statements.filter(({ Action }) => Action.some((action) => !action.endsWith(':GetSecretValue')))

  expect(own.map(({ Action, Resource }) => [Action, Resource?.map(referredId)])).toEqual([
    [['secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'], [secret?.id]],
  ])
  expect(writers).toEqual(own)
})

it('the function knows the wechatpay accounts and their secrets alone', () => {
  const environment = JSON.stringify(fn?.Properties['Environment'])
  const secrets = resourcesOf(template, 'AWS::SecretsManager::Secret').filter(({ id }) =>
    environment.includes(`"${id}"`),
  )
  const others = config.channels
    .filter(({ account }) => account.kind !== 'wechatpay')
    .map(({ account }) => account.kind)

  expect(secrets.map(({ id }) => id)).toEqual([secret?.id])
  expect(environment).toContain('1900000000')
  for (const kind of others) expect(environment).not.toContain(kind)
})

it('an alarm rings when all tries of a round failed', () => {
  const alarm = resourcesOf(template, 'AWS::CloudWatch::Alarm').find(({ id }) => id.startsWith('CertificatesFailed'))

  expect(alarm?.Properties).toMatchObject({
    MetricName: 'Errors',
    Dimensions: [{ Name: 'FunctionName', Value: { Ref: fn?.id } }],
    Period: 3600,
    Threshold: 3,
  })
})

it('without a wechatpay account there is no such function, rule or alarm', () => {
  const channels = config.channels.filter(({ account }) => account.kind !== 'wechatpay')
  const without = synthesize('prod', { channels })

  expect(Object.keys(without.Resources).filter((id) => id.startsWith('Certificates'))).toEqual([])
})
