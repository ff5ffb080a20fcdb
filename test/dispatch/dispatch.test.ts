import { type CreateScheduleCommand, GetScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler'
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { marshall } from '@aws-sdk/util-dynamodb'
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda'
import { mockClient } from 'aws-sdk-client-mock'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { planTrigger } from '../../functions/dispatch/plan-trigger.ts'
import { readWake } from '../../functions/dispatch/read-wake.ts'
import { type DispatchDeps, sendTrigger, UnknownLaneError } from '../../functions/dispatch/send-trigger.ts'
import { openTargetHealth } from '../../functions/dispatch/target-health.ts'
import { type Instant, instantOf, plusMs } from '../../modules/core/instant.ts'
import { taskNoOf } from '../../modules/ledger/table/names.ts'
import { readTaskMessage } from '../../modules/queues/task-message.ts'
import { startScheduler } from '../local/engines/scheduler/start-scheduler.ts'
import { aContext } from '../support/context.ts'

const taskNo = taskNoOf('DELIVER', 'ORDER-1/1')
const now = instantOf(Date.now())
const sqs = mockClient(SQSClient)
let scheduler: Awaited<ReturnType<typeof startScheduler>>
let deps: DispatchDeps

beforeAll(async () => {
  scheduler = await startScheduler()
})
afterAll(() => scheduler.stop())
beforeEach(() => {
  sqs.rejects(new Error('an unexpected call'))
  sqs.on(SendMessageCommand).resolves({ MessageId: 'm' })
  deps = depsWith(scheduler.client)
})
afterEach(() => sqs.reset())

const depsWith = (client: SchedulerClient): DispatchDeps => ({
  sqs: new SQSClient({ region: 'us-east-1' }),
  scheduler: client,
  queueUrls: { merchant: 'https://queue/merchant' },
  queueArns: { merchant: 'arn:aws:sqs:us-east-1:000000000000:merchant' },
  scheduleGroup: 'default',
  scheduleRoleArn: 'arn:aws:iam::000000000000:role/scheduler',
  scheduleDlqArn: 'arn:aws:sqs:us-east-1:000000000000:dead',
  now: () => now,
  health: openTargetHealth(Date.now),
})

const aWake = (wake: Instant, lane = 'merchant') => ({ pk: 'ORDER#ORDER-1', taskNo, lane, bizType: 'DELIVER', wake })

const image = (item: Record<string, unknown>) => marshall(item) as Record<string, AttributeValue>
const aRow = (wake?: string) => ({
  et: 'TASK',
  pk: 'ORDER#ORDER-1',
  taskNo,
  lane: 'merchant',
  bizType: 'DELIVER',
  ...(wake !== undefined && { wake }),
})
const aRecord = (
  before: Record<string, unknown> | undefined,
  after: Record<string, unknown> | undefined,
): DynamoDBRecord => ({
  eventName: 'MODIFY',
  dynamodb: {
    SequenceNumber: '1',
    ...(before !== undefined && { OldImage: image(before) }),
    ...(after !== undefined && { NewImage: image(after) }),
  },
})

const sent = () => sqs.commandCalls(SendMessageCommand).map(({ args }) => args[0].input)

it.each([
  [0, 0],
  [-5_000, 0],
  [1, 1],
  [999, 1],
  [1_000, 1],
  [59_001, 60],
  [60_000, 60],
])('a wake-up in %i ms is a message with a delay of %i s', async (ms, delay) => {
  await sendTrigger(deps, aWake(plusMs(now, ms)))

  expect(sent()).toMatchObject([{ QueueUrl: 'https://queue/merchant', DelaySeconds: delay }])
})

it('the message names the row and decides nothing', async () => {
  const wake = plusMs(now, 1_000)
  await sendTrigger(deps, aWake(wake))

  expect(readTaskMessage(String(sent()[0]?.MessageBody))).toEqual({
    v: 1,
    pk: 'ORDER#ORDER-1',
    taskNo,
    wake,
    lane: 'merchant',
    cause: 'stream',
  })
})

it('a wake-up more than a minute ahead is a one-time schedule under its own name, rounded up, that deletes itself', async () => {
  const wake = plusMs(now, 3_600_500)
  const seconds = Math.ceil(Date.parse(wake) / 1000)

  await sendTrigger(deps, aWake(wake))

  const schedule = await scheduler.client.send(
    new GetScheduleCommand({ Name: `t.${taskNo}.${seconds.toString(36)}`, GroupName: 'default' }),
  )
  expect(sent()).toHaveLength(0)
  expect(schedule.ScheduleExpression).toBe(`at(${new Date(seconds * 1000).toISOString().slice(0, 19)})`)
  expect(schedule).toMatchObject({
    ActionAfterCompletion: 'DELETE',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: { Arn: deps.queueArns['merchant'], DeadLetterConfig: { Arn: deps.scheduleDlqArn } },
  })
  expect(readTaskMessage(String(schedule.Target?.Input))).toMatchObject({ taskNo, wake, cause: 'schedule' })
})

it('the same wake-up planned twice is one schedule, and no failure', async () => {
  const wake = aWake(plusMs(now, 7_200_000))

  await sendTrigger(deps, wake)

  await expect(sendTrigger(deps, wake)).resolves.toBeUndefined()
})

/** A scheduler that answers every schedule with an error. */
const refusing = (name: string) => {
  const asked: unknown[] = []
  const send = async (command: CreateScheduleCommand) => {
    asked.push(command)
    throw named(name)
  }
  return { asked, client: Object.assign(Object.create(scheduler.client), { send }) }
}

it.each(['ServiceQuotaExceededException', 'ThrottlingException', 'TimeoutError'])(
  'a near wake-up that the scheduler does not take is an SQS delay: %s',
  async (name) => {
    await sendTrigger({ ...deps, scheduler: refusing(name).client }, aWake(plusMs(now, 899_500)))

    expect(sent()).toMatchObject([{ QueueUrl: 'https://queue/merchant', DelaySeconds: 900 }])
  },
)

it('one further ahead than SQS delays is passed over: the row is due in the index', async () => {
  const broken = { ...deps, scheduler: refusing('ServiceQuotaExceededException').client }

  await expect(sendTrigger(broken, aWake(plusMs(now, 900_001)))).rejects.toThrow('ServiceQuotaExceededException')
  expect(sent()).toHaveLength(0)
})

it('a target that failed five times in a row costs nothing for half a minute, and is asked again after that', async () => {
  let nowMs = 0
  const health = openTargetHealth(() => nowMs)
  const { asked, client } = refusing('ThrottlingException')
  const far = aWake(plusMs(now, 3_600_000))
  const send = () => sendTrigger({ ...deps, scheduler: client, health }, far).catch(() => undefined)

  for (let n = 0; n < 50; n++) await send()
  const within = asked.length
  await sendTrigger({ ...deps, scheduler: client, health }, aWake(now))
  nowMs += 30_000
  await send()

  expect([within, asked.length]).toEqual([5, 6])
  expect(sent()).toHaveLength(1)
})

const named = (name: string): Error => Object.assign(new Error(name), { name })

it('a queue that does not answer fails the record', async () => {
  sqs.on(SendMessageCommand).rejects(named('TimeoutError'))

  await expect(sendTrigger(deps, aWake(now))).rejects.toThrow('TimeoutError')
})

it('a lane that is not configured is refused by name and sends nothing', async () => {
  await expect(sendTrigger(deps, aWake(now, 'gone-bank'))).rejects.toThrow(UnknownLaneError)
  expect(sent()).toHaveLength(0)
})

it('a schedule is never before its wake-up and at most a second after it', () => {
  for (const ms of [60_001, 60_999, 61_000, 3_600_123]) {
    const plan = planTrigger(taskNo, plusMs(now, ms), now)
    if (plan.kind !== 'schedule') throw new Error('no schedule')
    const late = Date.parse(`${plan.expression.slice(3, -1)}Z`) - Date.parse(plusMs(now, ms))
    expect(late).toBeGreaterThanOrEqual(0)
    expect(late).toBeLessThan(1000)
  }
})

it('a record asks for a trigger if its row has a wake that was not there before', () => {
  const wake = plusMs(now, 5)

  expect(readWake(aRecord(undefined, aRow(wake)))).toEqual(aWake(wake))
  expect(readWake(aRecord(aRow(), aRow(wake)))).toEqual(aWake(wake))
  expect(readWake(aRecord(aRow(now), aRow(wake)))).toEqual(aWake(wake))
})

it.each([
  ['an unchanged wake', aRecord(aRow(now), aRow(now))],
  ['a claim, which removes the wake', aRecord(aRow(now), aRow())],
  ['a deleted row', aRecord(aRow(now), undefined)],
  ['a row of another type', aRecord(undefined, { ...aRow(now), et: 'ORDER' })],
])('%s asks for nothing', (_case, record) => {
  expect(readWake(record)).toBeUndefined()
})

it('what one target does not take is counted and passed over, and the triggers of the others go out', async () => {
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    LANE_QUEUES: JSON.stringify({ ...deps.queueUrls, sick: 'https://queue/sick' }),
    LANE_QUEUE_ARNS: JSON.stringify({ ...deps.queueArns, sick: 'arn:aws:sqs:us-east-1:000000000000:sick' }),
    SCHEDULE_GROUP: 'default',
    SCHEDULE_ROLE_ARN: deps.scheduleRoleArn,
    SCHEDULE_DLQ_ARN: deps.scheduleDlqArn,
  })
  const { handler } = await import('../../functions/dispatch/handler.ts')
  sqs.on(SendMessageCommand, { QueueUrl: 'https://queue/sick' }).rejects(named('TimeoutError'))
  const record = (number: string, lane: string) => ({
    ...aRecord(undefined, { ...aRow(now), lane }),
    dynamodb: {
      ...aRecord(undefined, { ...aRow(now), lane, orderNo: `ORDER-${number}` }).dynamodb,
      SequenceNumber: number,
    },
  })
  const lanes = ['merchant', 'gone-bank', 'sick', 'merchant']
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)

  const result = await handler(
    { Records: lanes.map((lane, index) => record(String(index), lane)) },
    aContext('dispatch'),
  )

  const lines = write.mock.calls.map(([line]): Record<string, unknown> => JSON.parse(String(line)))
  write.mockRestore()
  const told = lines.flatMap(({ lane, orderNo, code, error }) =>
    lane === undefined ? [] : [[orderNo, lane, code ?? error]],
  )
  expect(result).toEqual({ batchItemFailures: [] })
  expect(told).toEqual([
    ['ORDER-1', 'gone-bank', 'UNKNOWN_LANE'],
    ['ORDER-2', 'sick', 'TimeoutError'],
  ])
  expect(lines.filter((line) => line['DispatchFailed'] === 1)).toHaveLength(2)
  expect(sent().filter(({ QueueUrl }) => QueueUrl === 'https://queue/merchant')).toHaveLength(2)
})
