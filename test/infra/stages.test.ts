import { App, Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { Backstop } from 'backstop'
import { type BackstopConfig, defineConfig } from 'backstop/config'
import { expect, it } from 'vitest'
import example from '../../examples/backstop.config.ts'
import { BackstopStack, stackNameOf } from '../../infra/backstop-stack.ts'
import { parseConfig } from '../../infra/config.ts'
import { localConfig } from '../../infra/local-config.ts'
import { checkDeployable, readConfig } from '../../infra/read-config.ts'
import { exampleConfig } from './example.ts'
import { anApp, resourcesOf, synthesize } from './template.ts'

/** Settings as a merchant has them, with nothing of the sample left. */
const own = (change: Partial<BackstopConfig> = {}): BackstopConfig =>
  defineConfig({
    stage: 'prod',
    merchant: { deliveryUrl: 'https://shop.acme.com/deliveries' },
    channels: [
      { account: { id: 'alipay', kind: 'alipay', appId: '2021004112233445', sellerId: '2088611223344556' } },
      { account: { id: 'stripe', kind: 'stripe', livemode: true } },
    ],
    ...change,
  })

const refusalOf = (settings: BackstopConfig): string => {
  try {
    checkDeployable(parseConfig(settings))
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
  return 'accepted'
}

it('stages stand side by side in one account: each has a stack of its own name, and no resource has a fixed one', () => {
  const app = anApp()
  const stacks = ['prod', 'staging'].map((stage) => {
    const config = parseConfig(own({ stage }))
    return new BackstopStack(app, stackNameOf(config), { config })
  })

  const names = stacks.map((stack) => stack.stackName)
  const fixed = stacks.map((stack) => JSON.stringify(Template.fromStack(stack).toJSON()).match(/"(\w*Name)":"[^"]+"/g))

  expect(names).toEqual(['Backstop-prod', 'Backstop-staging'])
  expect(fixed[0]?.filter((one) => fixed[1]?.includes(one)).filter(isPhysical)).toEqual([])
})

it('the local stage cannot be deployed, whoever asks for it', () => {
  expect(() => checkDeployable(localConfig())).toThrow(/^stage: local has keys that everybody knows/)
  expect(() => new Backstop(new Stack(new App(), 'Shop'), 'Backstop', own({ stage: 'local' }))).toThrow(/^stage: local/)
})

it.each([
  [
    'an Alipay number of the sample',
    { channels: [accountOf('alipay')] },
    'channels (alipay).appId: "2021000000000000"',
  ],
  [
    'a WeChat Pay number of the sample',
    { channels: [accountOf('wechatpay')] },
    'channels (wechatpay).mchId: "1900000000"',
  ],
  ['an Adyen account of the sample', { channels: [accountOf('adyen')] }, '"YourMerchantAccount" is the sample'],
  ['a PayPal webhook of the sample', { channels: [accountOf('paypal')] }, '"YourWebhookId" is the sample'],
  ['example.com as the address', { merchant: { deliveryUrl: 'https://shop.example.com/x' } }, 'merchant.deliveryUrl: '],
  [
    'example.org in a named address',
    { merchant: { deliveryUrl: 'https://a.cn', interfaces: { b: 'https://example.org' } } },
    'merchant.interfaces.b: ',
  ],
  ['a mail address at example.com', { alarmEmail: 'me@example.com' }, 'alarmEmail: "me@example.com" is the sample'],
  [
    'an issuer that nobody has',
    { auth: { kind: 'oidc', issuer: 'https://id.example/', audience: 'b' } },
    'auth.issuer: ',
  ],
  [
    'an account of the simulators',
    { channels: localConfig().channels.slice(0, 5) },
    'channels (adyen).merchantAccounts.0: ',
  ],
] satisfies [string, Partial<BackstopConfig>, string][])(
  '%s stops the synth with one sentence that names it',
  (_what, change, says) => {
    expect(refusalOf({ ...own(), ...change })).toContain(says)
  },
)

it('real numbers with noughts, and hosts that only look like the sample, are accepted', () => {
  const account = { id: 'wechatpay', kind: 'wechatpay', appId: 'wx8c00000112233445', mchId: '1000000162' } as const

  expect(refusalOf(own({ channels: [{ account }], alarmEmail: 'a@myexample.com.cn' }))).toBe('accepted')
  expect(refusalOf(own({ merchant: { deliveryUrl: 'https://example.computer/d' } }))).toBe('accepted')
})

it('the committed sample is refused as it is, and read where nobody deploys it', async () => {
  const path = 'examples/backstop.config.ts'

  await expect(readConfig({ path })).rejects.toThrow(/^examples\/backstop\.config\.ts: .*is the sample's/)
  expect(await readConfig({ path, isSampleAllowed: true })).toEqual(parseConfig(example))
})

it('without a file the way to one is said', async () => {
  await expect(readConfig({ path: 'backstop.nowhere.config.ts' })).rejects.toThrow(
    'There is no backstop.nowhere.config.ts. Write one with "npm run init"',
  )
})

it('Backstop is a construct of a stack of one`s own, under the same outputs and parameters', () => {
  const stack = new Stack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Shop')
  const backstop = new Backstop(stack, 'Backstop', own({ tags: { team: 'payments' } }))
  const template = Template.fromStack(stack)
  const alone = synthesize('prod', { channels: parseConfig(own()).channels })

  expect(Object.keys(template.toJSON()['Outputs']).sort()).toEqual(Object.keys(alone.Outputs).sort())
  expect(Object.keys(template.toJSON()['Parameters']).sort()).toEqual(Object.keys(alone.Parameters).sort())
  for (const type of ['AWS::Lambda::Function', 'AWS::SQS::Queue', 'AWS::CloudWatch::Alarm']) {
    template.resourceCountIs(type, resourcesOf(alone, type).length)
  }
  template.hasResourceProperties('AWS::Lambda::Function', {
    Tags: [
      { Key: 'backstop-stage', Value: 'prod' },
      { Key: 'team', Value: 'payments' },
    ],
  })
  expect(stack.resolve(backstop.eventBusName)).toMatchObject({ Ref: expect.stringMatching(/^BackstopPublishBus/) })
  expect(() => new Backstop(stack, 'Second', own())).toThrow('A stack has one Backstop')
})

it('a name of one`s own comes with a certificate proved in the zone, which points at the API', () => {
  const hostedZone = { id: 'Z0123456789ABC', name: 'shop.com' }
  const template = synthesize('prod', { domain: { name: 'pay.shop.com', hostedZone } })

  expect(template.Outputs['ApiUrl']?.['Value']).toMatchObject({ 'Fn::Join': ['', ['https://', expect.anything()]] })
  expect(resourcesOf(template, 'AWS::CertificateManager::Certificate')).toHaveLength(1)
  expect(resourcesOf(template, 'AWS::Route53::RecordSet')[0]?.Properties).toMatchObject({ Name: 'pay.shop.com.' })
  expect(resourcesOf(template, 'AWS::ApiGatewayV2::ApiMapping')).toHaveLength(1)
})

it('a name with a certificate of one`s own makes no other, and says where to point the name', () => {
  const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/1a2b'
  const template = synthesize('prod', { domain: { name: 'pay.shop.com', certificateArn } })

  expect(resourcesOf(template, 'AWS::CertificateManager::Certificate')).toEqual([])
  expect(resourcesOf(template, 'AWS::Route53::RecordSet')).toEqual([])
  expect(template.Outputs).toHaveProperty('ApiTarget')
})

it('nothing is protected from deletion while the first deploy may fail, and everything is after it', () => {
  const first = JSON.stringify(synthesize('prod', { deletionProtection: false }))
  const later = JSON.stringify(synthesize('prod'))

  expect(first).not.toMatch(/"DeletionProtectionEnabled":true|"DeletionProtection":"ACTIVE"/)
  expect(later).not.toMatch(/"DeletionProtectionEnabled":false|"DeletionProtection":"INACTIVE"/)
})

it.each([
  ['merchant.deliveryUrl', { merchant: { deliveryUrl: `https://a.cn/${'x'.repeat(300)}` } }],
  [
    'merchant.interfaces',
    { merchant: { deliveryUrl: 'https://a.cn', interfaces: { b: `https://b.cn/${'x'.repeat(400)}` } } },
  ],
  ['privateOrigins', { privateOrigins: Array.from({ length: 9 }, (_, n) => `http://10.0.0.${n}:8080`) }],
] as const)('%s beyond what its parameter may hold is refused', (setting, change) => {
  expect(refusalOf(own(change))).toMatch(new RegExp(`^${setting}: has \\d+ characters`))
})

it.each(['Prod', '1st', 'a-name-that-is-far-too-long', 'a_b', ''])("'%s' is no stage", (stage) => {
  expect(refusalOf(own({ stage }))).toContain('stage: must be 1 to 16 small letters')
})

function accountOf(kind: string) {
  const found = exampleConfig().channels.find(({ account }) => account.kind === kind)
  if (found === undefined) throw new TypeError(`The sample has no ${kind}.`)
  return found
}

/** Names that AWS has in one account and Region once; an inline policy's is its role's own. */
function isPhysical(text: string): boolean {
  return /^"(Table|Queue|Function|Bucket|Role|Topic|Rule|Bus|Group|LogGroup|UserPool|Dashboard|Alarm)Name":/.test(text)
}
