import { expect, it } from 'vitest'
import { z } from 'zod'
import { referredId, resourcesOf, statementsOf, synthesize } from './template.ts'

const template = synthesize('prod')

const queueSchema = z.object({
  VisibilityTimeout: z.number().optional(),
  MessageRetentionPeriod: z.number(),
  SqsManagedSseEnabled: z.boolean(),
  RedrivePolicy: z
    .object({ maxReceiveCount: z.number(), deadLetterTargetArn: z.unknown().transform(referredId) })
    .optional(),
})
const queues = resourcesOf(template, 'AWS::SQS::Queue').map(({ id, Properties }) => ({
  id,
  ...queueSchema.parse(Properties),
}))
const sources = queues.flatMap(({ RedrivePolicy, ...queue }) =>
  RedrivePolicy === undefined ? [] : [{ ...queue, redrive: RedrivePolicy }],
)
const ends = queues.filter((queue) => queue.RedrivePolicy === undefined)

const mappings = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(({ id, Properties }) => ({
  id,
  ...z
    .object({
      EventSourceArn: z.unknown(),
      FunctionName: z.unknown().transform(referredId),
      BatchSize: z.number(),
      FunctionResponseTypes: z.array(z.string()),
      MaximumBatchingWindowInSeconds: z.number().default(0),
      MaximumRetryAttempts: z.number().optional(),
      MaximumRecordAgeInSeconds: z.number().optional(),
      BisectBatchOnFunctionError: z.boolean().optional(),
      ParallelizationFactor: z.number().optional(),
      StartingPosition: z.string().optional(),
      ScalingConfig: z.object({ MaximumConcurrency: z.number() }).optional(),
      DestinationConfig: z
        .object({ OnFailure: z.object({ Destination: z.unknown().transform(referredId) }) })
        .optional(),
      FilterCriteria: z.object({ Filters: z.array(z.object({ Pattern: z.string() })) }).optional(),
    })
    .parse(Properties),
}))
const queueMappings = mappings.flatMap((mapping) => {
  const queue = queues.find(({ id }) => id === referredId(mapping.EventSourceArn))
  return queue === undefined ? [] : [{ ...mapping, queue }]
})
const streamMappings = mappings.filter((mapping) => mapping.StartingPosition !== undefined)

it('a lane has a queue for each channel, the merchant and the work inside, and callbacks have one', () => {
  const names = sources.map(({ id }) => id.replace(/Queue[0-9A-F]{8}$/, '')).sort()

  expect(names).toEqual([
    'SettlingCallbacks',
    'TasksLaneadyen',
    'TasksLanealipay',
    'TasksLaneinternal',
    'TasksLanemerchant',
    'TasksLanepartner',
    'TasksLanepaypal',
    'TasksLanestripe',
    'TasksLanewechatpay',
  ])
})

it('every queue has a dead-letter queue of its own, or is where messages end', () => {
  const onFailure = streamMappings.map((mapping) => mapping.DestinationConfig?.OnFailure.Destination)
  const lostTriggers = ends.filter(({ id }) => id.startsWith('DispatchLostTriggers')).map(({ id }) => id)
  const deadLetters = sources.map((queue) => queue.redrive.deadLetterTargetArn)

  expect(new Set(deadLetters).size).toBe(sources.length)
  expect(ends.map(({ id }) => id).sort()).toEqual([...deadLetters, ...onFailure, ...lostTriggers].sort())
})

it('one message in any queue where messages end raises an alarm within minutes, and silence does not clear it', () => {
  const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm').flatMap(({ Properties }) => {
    const alarm = z
      .object({
        MetricName: z.literal('ApproximateNumberOfMessagesVisible'),
        Dimensions: z.tuple([z.object({ Name: z.literal('QueueName'), Value: z.unknown().transform(referredId) })]),
        Threshold: z.literal(1),
        ComparisonOperator: z.literal('GreaterThanOrEqualToThreshold'),
        Period: z.number().max(300),
        EvaluationPeriods: z.literal(1),
        TreatMissingData: z.literal('ignore'),
        AlarmActions: z.array(z.unknown()).min(1),
      })
      .safeParse(Properties)
    return alarm.success ? [alarm.data.Dimensions[0].Value] : []
  })

  expect(alarms.sort()).toEqual(ends.map(({ id }) => id).sort())
})

it('a dead-letter queue that a function empties also tells when something was taken from it', () => {
  const consumed = ends.filter(({ id }) => queueMappings.some(({ queue }) => queue.id === id)).map(({ id }) => id)
  const alarmed = resourcesOf(template, 'AWS::CloudWatch::Alarm')
    .filter(({ Properties }) => Properties['MetricName'] === 'NumberOfMessagesReceived')
    .flatMap(({ Properties }) =>
      z.array(z.object({ Value: z.unknown().transform(referredId) })).parse(Properties['Dimensions']),
    )
    .map(({ Value }) => Value)

  expect(consumed).toHaveLength(1)
  expect(alarmed).toEqual(consumed)
})

it('every alarm says what it means, and tells the topic itself or through the one that it is part of', () => {
  const topic = resourcesOf(template, 'AWS::SNS::Topic')[0]?.id
  const composites = resourcesOf(template, 'AWS::CloudWatch::CompositeAlarm')
  const rules = composites.map(({ Properties }) => JSON.stringify(Properties['AlarmRule'])).join()

  for (const { id, Properties } of [...resourcesOf(template, 'AWS::CloudWatch::Alarm'), ...composites]) {
    const told = z.array(z.unknown()).default([]).parse(Properties['AlarmActions']).map(referredId)
    expect(String(Properties['AlarmDescription']).length, id).toBeGreaterThan(60)
    expect(told.length === 0 ? rules.includes(id) : told, id).toEqual(told.length === 0 ? true : [topic])
  }
})

it('a dead letter is kept as long as SQS can, and longer than its source keeps a message', () => {
  for (const queue of ends) expect(queue.MessageRetentionPeriod, queue.id).toBe(14 * 86_400)
  for (const queue of sources) expect(queue.MessageRetentionPeriod, queue.id).toBeLessThan(14 * 86_400)
})

it('a message stays invisible for six time-outs and the batch window, and is received five times or more', () => {
  expect(queueMappings).toHaveLength(10)
  for (const { id, queue, FunctionName, MaximumBatchingWindowInSeconds } of queueMappings) {
    const timeout = z.number().parse(template.Resources[FunctionName ?? '']?.Properties['Timeout'])
    expect(queue.VisibilityTimeout, id).toBeGreaterThanOrEqual(6 * timeout + MaximumBatchingWindowInSeconds)
  }
  for (const queue of sources) expect(queue.redrive.maxReceiveCount, queue.id).toBeGreaterThanOrEqual(5)
})

it('every mapping reports which of its records failed, and a queue is read with a limit', () => {
  for (const mapping of mappings) expect(mapping.FunctionResponseTypes, mapping.id).toEqual(['ReportBatchItemFailures'])
  for (const mapping of queueMappings) {
    expect(mapping.BatchSize, mapping.id).toBe(10)
    expect(mapping.ScalingConfig?.MaximumConcurrency, mapping.id).toBeGreaterThanOrEqual(2)
  }
})

it('the stream has its two readers, each of which cuts out, retries within bounds and names what failed', () => {
  expect(streamMappings).toHaveLength(2)
  for (const mapping of streamMappings) {
    expect(mapping.BisectBatchOnFunctionError, mapping.id).toBe(true)
    expect(mapping.MaximumRetryAttempts, mapping.id).toBeGreaterThan(0)
    expect(mapping.MaximumRecordAgeInSeconds, mapping.id).toBeLessThan(86_400)
    expect(mapping.StartingPosition, mapping.id).toBe('TRIM_HORIZON')
  }
  expect(new Set(streamMappings.map((mapping) => mapping.DestinationConfig?.OnFailure.Destination)).size).toBe(2)
})

it('dispatch sees tasks that have a wake time, publish sees new journal entries and those that the sweep asks for', () => {
  const patterns = streamMappings.map((mapping) =>
    (mapping.FilterCriteria?.Filters ?? []).map(({ Pattern }) => JSON.parse(Pattern)),
  )
  const asked = (type: string) => ({ et: { S: [type] }, wake: { S: [{ exists: true }] } })

  expect(patterns).toContainEqual([{ eventName: ['INSERT', 'MODIFY'], dynamodb: { NewImage: asked('TASK') } }])
  expect(patterns).toContainEqual([
    { eventName: ['INSERT'], dynamodb: { NewImage: { et: { S: ['JOURNAL'] } } } },
    { eventName: ['MODIFY'], dynamodb: { NewImage: asked('JOURNAL') } },
  ])
})

it('queues are encrypted and refuse what does not come over TLS', () => {
  const refusing = statementsOf(template, 'AWS::SQS::QueuePolicy').filter(
    ({ Effect, Condition }) => Effect === 'Deny' && Condition['Bool']?.['aws:SecureTransport'] === 'false',
  )

  expect(refusing).toHaveLength(queues.length)
  for (const queue of queues) expect(queue.SqsManagedSseEnabled, queue.id).toBe(true)
})
