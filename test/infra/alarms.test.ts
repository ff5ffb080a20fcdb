import { expect, it } from 'vitest'
import { z } from 'zod'
import { gatedLanesOf, lanesOf } from '../../infra/lanes.ts'
import { metricDimensions } from '../../modules/runtime/telemetry/metrics.ts'
import { exampleConfig } from './example.ts'
import { resourcesOf, synthesize } from './template.ts'

const template = synthesize('prod')
const config = exampleConfig()

const metricSchema = z.object({
  Namespace: z.string(),
  MetricName: z.string(),
  Dimensions: z.array(z.object({ Name: z.string(), Value: z.unknown() })).default([]),
})
const alarmSchema = z.object({
  AlarmDescription: z.string(),
  AlarmActions: z.array(z.unknown()).default([]),
  OKActions: z.array(z.unknown()).default([]),
  TreatMissingData: z.string(),
  MetricName: z.string().optional(),
  Namespace: z.string().optional(),
  Dimensions: metricSchema.shape.Dimensions,
  Metrics: z
    .array(
      z.object({
        Expression: z.string().optional(),
        MetricStat: z.object({ Metric: metricSchema, Period: z.number(), Stat: z.string() }).optional(),
      }),
    )
    .default([]),
})

const nameOf = (id: string) => id.replace(/[0-9A-F]{8}$/, '')
const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm').map(({ id, Properties }) => ({
  name: nameOf(id),
  id,
  ...alarmSchema.parse(Properties),
}))
const composites = resourcesOf(template, 'AWS::CloudWatch::CompositeAlarm').map(({ id, Properties }) => ({
  name: nameOf(id),
  rule: JSON.stringify(Properties['AlarmRule']),
  ...z
    .object({ AlarmDescription: z.string(), AlarmActions: z.array(z.unknown()), OKActions: z.array(z.unknown()) })
    .parse(Properties),
}))
const lanes = lanesOf(config).map(({ name }) => name)

function alarmNamed(name: string) {
  const found = alarms.find((alarm) => alarm.name === name)
  if (found === undefined) throw new RangeError(`No alarm is named ${name}.`)
  return found
}

/** Every metric that an alarm looks at. */
const metricsOf = (alarm: (typeof alarms)[number]) => [
  ...(alarm.MetricName === undefined
    ? []
    : [{ Namespace: alarm.Namespace, MetricName: alarm.MetricName, Dimensions: alarm.Dimensions }]),
  ...alarm.Metrics.flatMap(({ MetricStat }) => (MetricStat === undefined ? [] : [MetricStat.Metric])),
]

it('each alarm tells somebody, when it starts and when it is over, by itself or as a part of one that does', () => {
  for (const { id, name, AlarmActions, OKActions } of alarms) {
    const isPart = composites.some(({ rule }) => rule.includes(`"${id}"`))
    expect(AlarmActions.length + (isPart ? 1 : 0), name).toBe(1)
    expect(OKActions, name).toEqual(AlarmActions)
  }
  for (const { name, AlarmActions, OKActions } of composites) {
    expect(AlarmActions, name).toHaveLength(1)
    expect(OKActions, name).toEqual(AlarmActions)
  }
})

it('each alarm says in words what it means for the merchant, and no two say the same', () => {
  const texts = [...alarms, ...composites].map(({ AlarmDescription }) => AlarmDescription)

  for (const text of texts) {
    expect(text).toMatch(/^[A-Z].{60,}\.$/)
    expect(text.length).toBeLessThanOrEqual(1024)
  }
  const ofHealth = [...alarms, ...composites].filter(({ name }) => name.startsWith('Health'))
  expect(new Set(ofHealth.map(({ AlarmDescription }) => AlarmDescription)).size).toBe(ofHealth.length)
})

it('silence is bad for a sign of life, good for a count of errors, and leaves a depth as it was', () => {
  const byMeaning = Object.groupBy(alarms, ({ TreatMissingData }) => TreatMissingData)

  expect(byMeaning['breaching']?.map(({ name }) => name)).toEqual(['SweepSilent'])
  for (const { name } of byMeaning['ignore'] ?? []) expect(name).toMatch(/HasMessages$/)
  expect(Object.keys(byMeaning).sort()).toEqual(['breaching', 'ignore', 'notBreaching'])
})

it.each(lanes)('on the lane %s attempts without one success ring by themselves, lateness rings once', (lane) => {
  const id = lane.replaceAll('-', '')
  const share = alarmNamed(`HealthLane${id}NoSuccess`)
  const late = composites.find(({ name }) => name === `HealthLane${id}Late`)

  expect(share.AlarmActions).toHaveLength(1)
  expect(metricsOf(share).map(({ MetricName }) => MetricName)).toEqual(['Attempts', 'AttemptsDone'])
  expect(share.Metrics.map(({ MetricStat }) => MetricStat?.Period).filter((period) => period !== undefined)).toEqual([
    900, 900,
  ])
  const parts = gatedLanesOf(config).includes(lane)
    ? ['Overdue', 'BacklogGrows', 'GateStopped']
    : ['Overdue', 'BacklogGrows']
  for (const part of parts) {
    const { id: partId, AlarmActions } = alarmNamed(`HealthLane${id}${part}`)
    expect(AlarmActions).toEqual([])
    expect(late?.rule).toContain(`"${partId}"`)
  }
})

it('every metric of ours that an alarm or the dashboard looks at is emitted under exactly these dimensions', () => {
  const sets: Readonly<Record<string, readonly (readonly string[])[]>> = metricDimensions
  const ofAlarms = alarms
    .flatMap(metricsOf)
    .filter(({ Namespace }) => Namespace === 'Backstop')
    .map(({ MetricName, Dimensions }) => ({ name: MetricName, fields: Dimensions.map(({ Name }) => Name) }))
  const [page] = resourcesOf(template, 'AWS::CloudWatch::Dashboard')
  const shown = [
    ...JSON.stringify(page?.Properties['DashboardBody']).matchAll(/\[\\"Backstop\\",\\"(\w+)\\"(,\\"(\w+)\\",)?/g),
  ]
  const ofDashboard = shown.map(([, name = '', , field]) => ({ name, fields: field === undefined ? [] : [field] }))

  expect(ofAlarms.length).toBeGreaterThan(30)
  expect(ofDashboard.length).toBeGreaterThan(50)
  for (const { name, fields } of [...ofAlarms, ...ofDashboard]) expect(sets[name], name).toContainEqual(fields)
  expect(new Set(ofDashboard.map(({ name }) => name))).toEqual(new Set(Object.keys(sets)))
})

it('the dashboard shows every function, table and queue, and names no Region or account', () => {
  const body = JSON.stringify(resourcesOf(template, 'AWS::CloudWatch::Dashboard')[0]?.Properties['DashboardBody'])

  for (const type of ['AWS::Lambda::Function', 'AWS::DynamoDB::GlobalTable', 'AWS::SQS::Queue']) {
    for (const { id } of resourcesOf(template, type)) expect(body, id).toContain(`"${id}"`)
  }
  expect(body).not.toMatch(/us-east-1|\d{12}/)
})

it('each queue has an output of its address, and dead letters say so in its name', () => {
  const outputs = Object.keys(template.Outputs)
  const queues = resourcesOf(template, 'AWS::SQS::Queue')

  expect(outputs.filter((name) => /^(Queue|DeadLetters)/.test(name))).toHaveLength(queues.length)
  expect(outputs).toEqual(expect.arrayContaining(['QueueTasksLanestripe', 'DeadLettersTasksLanestripe']))
  expect(outputs).toEqual(expect.arrayContaining(['QueueSettlingCallbacks', 'DeadLettersSettlingCallbacks']))
})
