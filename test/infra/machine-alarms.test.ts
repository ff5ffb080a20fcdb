import { expect, it } from 'vitest'
import { z } from 'zod'
import { parseConfig } from '../../infra/config.ts'
import { exampleConfig } from './example.ts'
import { referredId, resourcesOf, synthesize } from './template.ts'

const reservedConcurrency = { ingress: 40, settle: 20, work: 60, sweep: 2 }
const template = synthesize('prod', {
  reservedConcurrency,
  api: { requestsPerSecond: 50, burst: 100, callbacksPerSecond: 300, callbackBurst: 600 },
})

const metric = z.object({
  Namespace: z.string(),
  MetricName: z.string(),
  Dimensions: z.array(z.object({ Name: z.string(), Value: z.unknown() })).default([]),
})
const alarm = z.object({
  AlarmDescription: z.string(),
  Threshold: z.number(),
  Namespace: z.string().optional(),
  MetricName: z.string().optional(),
  Dimensions: metric.shape.Dimensions,
  Metrics: z
    .array(z.object({ Expression: z.string().optional(), MetricStat: z.object({ Metric: metric }).optional() }))
    .default([]),
})
const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm').map(({ id, Properties }) => {
  const parsed = alarm.parse(Properties)
  const inMath = parsed.Metrics.flatMap(({ MetricStat }) => (MetricStat === undefined ? [] : [MetricStat.Metric]))
  const own = metric.safeParse(parsed).data
  return { id, ...parsed, metrics: own === undefined ? inMath : [own] }
})
const composites = resourcesOf(template, 'AWS::CloudWatch::CompositeAlarm').map(({ id, Properties }) => ({
  name: id.replace(/[0-9A-F]{8}$/, ''),
  rule: JSON.stringify(Properties['AlarmRule']),
}))

/** The alarms on a metric of one resource. */
const alarmsOn = (metricName: string, id: string) =>
  alarms.filter(({ metrics }) =>
    metrics.some(
      ({ MetricName, Dimensions }) =>
        MetricName === metricName && Dimensions.some(({ Value }) => referredId(Value) === id),
    ),
  )
const toldBy = (alarmId: string) =>
  composites.filter(({ rule }) => rule.includes(`"${alarmId}"`)).map(({ name }) => name)

it.each([
  ['ingress', 'MachineCallbacks'],
  ['settle', 'MachineCallbacks'],
  ['salvage', 'MachineCallbacks'],
  ['certificates', 'MachineCallbacks'],
  ['orders', 'MachineCalls'],
  ['work', 'MachineTasks'],
  ['dispatch', 'MachineTasks'],
  ['sweep', 'MachineTasks'],
  ['publish', 'MachineNews'],
])('errors and throttles of %s are told of by %s', (folder, impact) => {
  const [fn] = resourcesOf(template, 'AWS::Lambda::Function').filter(
    ({ Metadata }) => Metadata['backstop:entry'] === `functions/${folder}/handler.ts`,
  )
  const found = ['Errors', 'Throttles'].map((name) => alarmsOn(name, fn?.id ?? '').map(({ id }) => toldBy(id)))

  for (const told of found) expect(told).toContainEqual([impact])
})

it('no function is without both', () => {
  for (const { id } of resourcesOf(template, 'AWS::Lambda::Function')) {
    expect(alarmsOn('Errors', id).length, id).toBeGreaterThan(0)
    expect(alarmsOn('Throttles', id).length, id).toBeGreaterThan(0)
  }
})

it('the oldest message of each queue is watched: callbacks after two minutes, triggers after ten', () => {
  const queues = resourcesOf(template, 'AWS::SQS::Queue').filter(({ Properties }) => 'RedrivePolicy' in Properties)
  const threshold = (id: string) =>
    alarms.find(
      ({ metrics: [first] }) =>
        first?.MetricName === 'ApproximateAgeOfOldestMessage' && JSON.stringify(first.Dimensions).includes(`"${id}"`),
    )?.Threshold

  expect(queues).toHaveLength(9)
  for (const { id } of queues) expect(threshold(id), id).toBe(id.startsWith('SettlingCallbacks') ? 120 : 600)
})

it('each table, its indexes, the schedules, the rules and the alarms` own topic are watched', () => {
  const watched = new Set(
    alarms.flatMap(({ metrics }) => metrics.map(({ Namespace, MetricName }) => `${Namespace} ${MetricName}`)),
  )
  const indexes = alarms
    .flatMap(({ metrics }) => metrics.flatMap(({ Dimensions }) => Dimensions))
    .filter(({ Name }) => Name === 'GlobalSecondaryIndexName')

  expect([...watched]).toEqual(
    expect.arrayContaining([
      'AWS/DynamoDB ReadThrottleEvents',
      'AWS/DynamoDB WriteThrottleEvents',
      'AWS/DynamoDB SystemErrors',
      'AWS/Scheduler InvocationDroppedCount',
      'AWS/Scheduler InvocationThrottleCount',
      'AWS/Scheduler TargetErrorCount',
      'AWS/Events FailedInvocations',
      'AWS/SNS NumberOfNotificationsFailed',
    ]),
  )
  expect(indexes.map(({ Value }) => Value)).toEqual(['due', 'find'])
  for (const { id } of resourcesOf(template, 'AWS::Events::Rule')) {
    expect(alarmsOn('FailedInvocations', id).length, id).toBe(1)
  }
})

it('no alarm asks CloudWatch for more than the ten metrics that it takes', () => {
  for (const { id, metrics } of alarms) expect(metrics.length, id).toBeLessThanOrEqual(10)
})

it('a channel rings without a single accepted callback when payments are found', () => {
  const { expression, metrics } = onlyOf('HealthLanealipayUnheard')

  expect(expression).toBe('IF(applied >= 3 AND FILL(accepted, 0) < applied / 2, 1, 0)')
  expect(metrics).toEqual(['PaymentApplied', 'CallbackAccepted'])
})

it('the share of payments found by asking is looked at by who brought them', () => {
  const { expression, metrics } = onlyOf('HealthFoundByAsking')

  expect(expression).toContain('(FILL(query, 0) + FILL(bill, 0)) > (FILL(callback, 0) +')
  expect(metrics).toEqual(['PaymentApplied', 'PaymentApplied', 'PaymentApplied'])
})

it('callbacks and calls have limits of their own, set after the route is there', () => {
  const [stage] = resourcesOf(template, 'AWS::ApiGatewayV2::Stage')
  const [callbacks] = resourcesOf(template, 'AWS::ApiGatewayV2::Route').filter(
    ({ Properties }) => Properties['RouteKey'] === 'POST /callbacks/{channel}',
  )

  expect(stage?.Properties['DefaultRouteSettings']).toMatchObject({
    ThrottlingRateLimit: 50,
    ThrottlingBurstLimit: 100,
  })
  expect(stage?.Properties['RouteSettings']).toEqual({
    'POST /callbacks/{channel}': {
      ThrottlingRateLimit: 300,
      ThrottlingBurstLimit: 600,
      DetailedMetricsEnabled: true,
    },
  })
  expect(stage?.DependsOn).toContain(callbacks?.id)
})

it('what is reserved stands at the function, and nothing is reserved unless asked for', () => {
  const reserved = resourcesOf(template, 'AWS::Lambda::Function').flatMap(({ Metadata, Properties }) => {
    const folder = String(Metadata['backstop:entry']).split('/')[1] ?? ''
    const most = Properties['ReservedConcurrentExecutions']
    return most === undefined ? [] : [[folder, most]]
  })

  expect(Object.fromEntries(reserved)).toEqual(reservedConcurrency)
  expect(exampleConfig().reservedConcurrency).toEqual({})
})

it.each([
  [{ settle: 19 }, 'reservedConcurrency.settle: 19 is below settle.maxConcurrency (20)'],
  [{ work: 44 }, 'reservedConcurrency.work: 44 is below what all lanes may start at once (45)'],
  [{ sweep: 1 }, 'reservedConcurrency.sweep: must be 2'],
])('too little reserved is refused: %o', (change, says) => {
  expect(() => parseConfig({ ...exampleConfig(), reservedConcurrency: change })).toThrow(says)
})

function onlyOf(name: string) {
  const found = alarms.find(({ id }) => id.replace(/[0-9A-F]{8}$/, '') === name)
  return {
    expression: found?.Metrics.find(({ Expression }) => Expression !== undefined)?.Expression,
    metrics: found?.metrics.map(({ MetricName }) => MetricName),
  }
}
