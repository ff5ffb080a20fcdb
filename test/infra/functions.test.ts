import { App, Stack } from 'aws-cdk-lib'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { environmentBytes } from '../../infra/environment-size.ts'
import { parameterLengths } from '../../infra/parameter-values.ts'
import { addParameters } from '../../infra/parameters.ts'
import { type ChannelId, parseChannelId } from '../../modules/core/ids.ts'
import { readBundle } from './bundle.ts'
import { exampleConfig } from './example.ts'
import { referredId, resourcesOf, type SynthesizedTemplate, synthesize } from './template.ts'

const template = synthesize('local')

const functionSchema = z.object({
  Runtime: z.string(),
  Architectures: z.array(z.string()),
  Handler: z.string(),
  Timeout: z.number(),
  MemorySize: z.number(),
  RecursiveLoop: z.string(),
  LoggingConfig: z.object({ LogFormat: z.string(), LogGroup: z.unknown().transform(referredId) }),
  TracingConfig: z.object({ Mode: z.string() }).optional(),
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }),
})
const functionsOf = (of: SynthesizedTemplate) =>
  resourcesOf(of, 'AWS::Lambda::Function').map(({ Metadata, Properties }) => ({
    entry: z.string().parse(Metadata['backstop:entry']),
    ...functionSchema.parse(Properties),
  }))
const functions = functionsOf(template)

it('each function runs on Node 24 and arm64 with a log of its own in JSON', () => {
  for (const fn of functions) {
    expect(fn, fn.entry).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      LoggingConfig: { LogFormat: 'JSON' },
    })
    const log = template.Resources[fn.LoggingConfig.LogGroup ?? '']
    expect(log?.Type, fn.entry).toBe('AWS::Logs::LogGroup')
    expect(log?.Properties['RetentionInDays'], fn.entry).toBe(90)
  }
})

it('no function is traced unless the stage asks for it, and then all of them are', () => {
  const modes = (of: typeof functions) => new Set(of.map(({ TracingConfig }) => TracingConfig?.Mode))

  expect(modes(functions)).toEqual(new Set([undefined]))
  expect(modes(functionsOf(synthesize('prod', { tracing: true })))).toEqual(new Set(['Active']))
})

it('the functions are the nine folders, each with its time and memory', () => {
  const sizes = Object.fromEntries(functions.map((fn) => [fn.entry, [fn.Timeout, fn.MemorySize]]))

  expect(sizes).toEqual({
    'functions/ingress/handler.ts': [5, 512],
    'functions/settle/handler.ts': [60, 512],
    'functions/salvage/handler.ts': [60, 256],
    'functions/dispatch/handler.ts': [30, 256],
    'functions/publish/handler.ts': [30, 256],
    'functions/work/handler.ts': [60, 512],
    'functions/sweep/handler.ts': [55, 256],
    'functions/certificates/handler.ts': [60, 256],
    'functions/orders/handler.ts': [15, 512],
  })
})

it('only the circle of a task may go round without end in the eyes of Lambda', () => {
  const allowed = functions.filter((fn) => fn.RecursiveLoop === 'Allow').map((fn) => fn.entry)

  expect(allowed.sort()).toEqual(['functions/dispatch/handler.ts', 'functions/work/handler.ts'])
})

it('every environment fits into the 4,096 bytes of Lambda', () => {
  for (const fn of functions)
    expect(environmentBytes(fn.Environment.Variables, parameterLengths), fn.entry).toBeLessThanOrEqual(4096)
})

it('every setting that a function reads is in its environment, and nothing else is', () => {
  for (const fn of functions) {
    const given = Object.keys(fn.Environment.Variables).sort()
    const read = readBundle(fn.entry).settings

    expect(given, fn.entry).toEqual(expect.arrayContaining([...read]))
    expect(
      given.filter((name) => !read.includes(name)),
      fn.entry,
    ).toEqual([])
  }
})

it('callbacks need no token, orders need one with the scope of the route', () => {
  const routes = Object.fromEntries(
    resourcesOf(template, 'AWS::ApiGatewayV2::Route').map(({ Properties }) => [
      Properties['RouteKey'],
      [Properties['AuthorizationType'], Properties['AuthorizationScopes']],
    ]),
  )

  expect(routes).toEqual({
    'POST /callbacks/{channel}': ['NONE', undefined],
    'PUT /orders/{orderNo}': ['JWT', ['backstop/orders.write']],
    'GET /orders/{orderNo}': ['JWT', ['backstop/orders.read']],
    'POST /orders/{orderNo}/pay-attempts': ['JWT', ['backstop/orders.write']],
    'PATCH /orders/{orderNo}/pay-attempts/{outTradeNo}': ['JWT', ['backstop/orders.write']],
    'POST /orders/{orderNo}/close': ['JWT', ['backstop/orders.write']],
    'POST /orders/{orderNo}/notices/replay': ['JWT', ['backstop/orders.write']],
    'POST /orders/{orderNo}/refresh': ['JWT', ['backstop/orders.write']],
    'GET /orders/{orderNo}/codes': ['JWT', ['backstop/codes.read']],
    'GET /tasks': ['JWT', ['backstop/tasks.read']],
    'POST /tasks': ['JWT', ['backstop/tasks.write']],
    'PUT /stock/{sku}': ['JWT', ['backstop/stock.write']],
    'GET /stock/{sku}': ['JWT', ['backstop/stock.read']],
    'POST /stock/{sku}/codes': ['JWT', ['backstop/stock.write']],
  })
})

it('the API logs each request without headers, query or body, and limits its rate', () => {
  const [stage] = resourcesOf(template, 'AWS::ApiGatewayV2::Stage')

  expect(stage?.Properties).toMatchObject({
    StageName: '$default',
    AutoDeploy: true,
    DefaultRouteSettings: { ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000 },
  })
  expect(JSON.stringify(stage?.Properties['AccessLogSettings'])).not.toMatch(/header|query|body/i)
})

it('the merchant gets tokens by client credentials, for the scopes of orders', () => {
  const [client] = resourcesOf(template, 'AWS::Cognito::UserPoolClient')

  expect(client?.Properties).toMatchObject({ AllowedOAuthFlows: ['client_credentials'], GenerateSecret: true })
  expect(JSON.stringify(client?.Properties['AllowedOAuthScopes'])).toMatch(/orders\.write.*orders\.read/)
})

it('addresses can be set at deploy time, and mail goes out only when an address is given', () => {
  const defaults = Object.entries(template.Parameters).map(([name, { Default }]) => [name, Default])
  const [mail] = resourcesOf(template, 'AWS::SNS::Subscription')

  expect(Object.fromEntries(defaults)).toMatchObject({
    DeliveryUrl: 'http://127.0.0.1:9',
    DeliveryInterfaces: '{}',
    PrivateOrigins: '',
    ChannelEndpoints: '{}',
    AlarmEmail: '',
  })
  expect(mail?.Condition).toBeDefined()
})

it('the sweep runs each minute and is alarmed on when it falls silent', () => {
  const [rule] = resourcesOf(template, 'AWS::Events::Rule')
  const silent = resourcesOf(template, 'AWS::CloudWatch::Alarm').filter(
    ({ Properties }) => Properties['TreatMissingData'] === 'breaching',
  )

  expect(rule?.Properties).toMatchObject({ ScheduleExpression: 'rate(1 minute)', State: 'ENABLED' })
  expect(silent.map(({ Properties }) => Properties['MetricName'])).toEqual(['SweepHeartbeat'])
})

it('an issuer that the merchant has takes the place of the user pool, with the same scopes', () => {
  const auth = { kind: 'oidc', issuer: 'https://login.example.com/', audience: 'backstop' } as const
  const own = synthesize('prod', { auth })

  expect(resourcesOf(own, 'AWS::Cognito::UserPool')).toEqual([])
  expect(resourcesOf(own, 'AWS::ApiGatewayV2::Authorizer')[0]?.Properties['JwtConfiguration']).toEqual({
    Audience: ['backstop'],
    Issuer: 'https://login.example.com/',
  })
  const scoped = resourcesOf(own, 'AWS::ApiGatewayV2::Route').filter(
    ({ Properties }) => Properties['AuthorizationScopes'],
  )
  expect(scoped).toHaveLength(13)
})

it('prod can be deployed with an https delivery address only', () => {
  const parameters = new Stack(new App(), 'Probe')
  const { deliveryUrl } = addParameters(parameters, exampleConfig())
  const pattern = new RegExp(`^(?:${deliveryUrl.allowedPattern})$`)

  expect(pattern.test('https://shop.example.com/deliveries')).toBe(true)
  expect(pattern.test('http://shop.example.com/deliveries')).toBe(false)
  expect(pattern.test('')).toBe(false)
})

it('synth refuses so many channels that an environment would not fit', () => {
  const [channel] = exampleConfig().channels.filter(({ account }) => account.kind === 'standard-webhooks')
  if (channel === undefined) throw new TypeError('The sample has no Standard Webhooks channel.')
  const channels = Array.from({ length: 12 }, (_, n) => ({
    ...channel,
    account: { ...channel.account, id: channelIdOf(`partner-${n}`) },
  }))

  expect(() => synthesize('prod', { channels })).toThrow(/work: its environment may have about \d+ bytes of 4096/)
})

function channelIdOf(text: string): ChannelId {
  const id = parseChannelId(text)
  if (id === undefined) throw new TypeError(`${text} is no channel id.`)
  return id
}

it.each(['channelEndpoints', 'deliveryInterfaces'] as const)(
  'prod takes https addresses alone in the map %s',
  (name) => {
    const parameter = addParameters(new Stack(new App(), 'Probe'), exampleConfig())[name]
    const pattern = new RegExp(`^(?:${parameter.allowedPattern})$`)

    for (const map of ['{}', '{"a":"https://x.example"}', '{ "a": "https://x.example", "b": "https://y.example/p" }']) {
      expect(pattern.test(map), map).toBe(true)
    }
    for (const map of [
      '{"a":"http://x.example"}',
      '{"a":"https://x.example","b":"http://y.example"}',
      '{"a":1}',
      'x',
    ]) {
      expect(pattern.test(map), map).toBe(false)
    }
  },
)
