import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  GetScheduleCommand,
} from '@aws-sdk/client-scheduler'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { TargetRefusedError } from '../../../../local/engines/scheduler/errors.ts'
import { aSchedule, deadLetterArn, queueTarget, startScheduler } from './start-scheduler.ts'
import { until } from './until.ts'

let scheduler: Awaited<ReturnType<typeof startScheduler>>

beforeEach(async () => {
  scheduler = await startScheduler()
})
afterEach(() => scheduler.stop())

const createDue = (target: Partial<CreateScheduleCommandInput['Target']>) =>
  scheduler.client.send(
    new CreateScheduleCommand({
      ...aSchedule(scheduler.clock),
      ScheduleExpression: 'at(2020-01-01T00:00:00)',
      ActionAfterCompletion: 'DELETE',
      Target: { ...queueTarget, Input: '<aws.scheduler.attempt-number>', ...target },
    }),
  )

const failTarget = (error: Error): void => {
  scheduler.behaviour.answer = ({ invocation }) =>
    invocation.kind === 'target' ? Promise.reject(error) : Promise.resolve()
}

/** Leaps to the next try once it is planned. */
async function leapToRetry(): Promise<void> {
  await until(() => !scheduler.engine.isRunning() && scheduler.engine.nextDueAt() !== undefined)
  scheduler.clock.leap(Math.max(0, (scheduler.engine.nextDueAt() ?? 0) - scheduler.clock.now()))
}

it('a failed delivery is tried again with the next attempt number, until it succeeds', async () => {
  failTarget(new Error('down'))
  await createDue({})
  const first = await scheduler.deliveries.next()
  await leapToRetry()
  const second = await scheduler.deliveries.next()
  scheduler.behaviour.answer = () => Promise.resolve()
  await leapToRetry()
  const third = await scheduler.deliveries.next()

  expect([first, second, third].map(({ target }) => target.input)).toEqual(['1', '2', '3'])
  expect(new Set([first, second, third].map(({ invocation }) => invocation.executionId)).size).toBe(1)
  await until(() => !scheduler.engine.isRunning())
  expect(scheduler.engine.nextDueAt()).toBeUndefined()
})

it('after the last retry the payload goes to the dead-letter queue, with the reason beside it', async () => {
  failTarget(Object.assign(new Error('no such function'), { code: 'ResourceNotFound' }))
  await createDue({ DeadLetterConfig: { Arn: deadLetterArn }, RetryPolicy: { MaximumRetryAttempts: 1 } })
  await scheduler.deliveries.next()
  await leapToRetry()
  await scheduler.deliveries.next()
  const { target, invocation } = await scheduler.deliveries.next()

  expect(target).toMatchObject({ arn: deadLetterArn, input: '2' })
  expect(invocation.kind).toBe('deadLetter')
  const values = Object.entries(invocation.messageAttributes).map(([name, { StringValue }]) => [name, StringValue])
  expect(Object.fromEntries(values)).toEqual({
    ERROR_CODE: 'ResourceNotFound',
    ERROR_MESSAGE: 'no such function',
    EXHAUSTED_RETRY_CONDITION: 'MaximumRetryAttempts',
    EXECUTION_ID: invocation.executionId,
    RETRY_ATTEMPTS: '1',
    SCHEDULED_TIME: '2020-01-01T00:00:00Z',
    SCHEDULE_ARN: invocation.scheduleArn,
    TARGET_ARN: queueTarget.Arn,
  })
})

it('an event that gets too old goes to the dead-letter queue', async () => {
  failTarget(new Error('down'))
  await createDue({ DeadLetterConfig: { Arn: deadLetterArn }, RetryPolicy: { MaximumEventAgeInSeconds: 60 } })
  await scheduler.deliveries.next()
  for (let retry = 1; retry <= 5; retry++) {
    await leapToRetry()
    await scheduler.deliveries.next()
  }
  const last = await scheduler.deliveries.next()

  const attributes = last.invocation.messageAttributes
  expect(last.invocation.kind).toBe('deadLetter')
  expect(attributes['EXHAUSTED_RETRY_CONDITION']?.StringValue).toBe('MaximumEventAgeInSeconds')
  // 1 + 2 + 4 + 8 + 16 seconds, and 32 more would be past the minute.
  expect(attributes['RETRY_ATTEMPTS']?.StringValue).toBe('5')
})

it('a target that refuses for good is not tried again', async () => {
  failTarget(new TargetRefusedError('AWS.SimpleQueueService.NonExistentQueue', 'no queue'))
  await createDue({ DeadLetterConfig: { Arn: deadLetterArn } })
  await scheduler.deliveries.next()

  const { invocation } = await scheduler.deliveries.next()

  expect(invocation.kind).toBe('deadLetter')
  expect(invocation.messageAttributes['RETRY_ATTEMPTS']?.StringValue).toBe('0')
  expect(invocation.messageAttributes).not.toHaveProperty('EXHAUSTED_RETRY_CONDITION')
})

it('without a dead-letter queue a given-up firing is reported, and its schedule is complete', async () => {
  failTarget(new Error('down'))
  await createDue({ RetryPolicy: { MaximumRetryAttempts: 0 } })
  await scheduler.deliveries.next()

  await until(() => scheduler.reports.length > 0)

  expect(scheduler.reports[0]).toContain('t.task-1.abc')
  const looking = scheduler.client.send(new GetScheduleCommand({ Name: 't.task-1.abc' }))
  await expect(looking).rejects.toThrow(/does not exist/)
})

it('a dead-letter queue that cannot be reached is tried again', async () => {
  let isDeadLetterQueueDown = true
  scheduler.behaviour.answer = ({ invocation }) =>
    invocation.kind === 'target' || isDeadLetterQueueDown ? Promise.reject(new Error('down')) : Promise.resolve()
  await createDue({ DeadLetterConfig: { Arn: deadLetterArn }, RetryPolicy: { MaximumRetryAttempts: 0 } })
  await scheduler.deliveries.next()
  await scheduler.deliveries.next()
  isDeadLetterQueueDown = false
  await leapToRetry()

  const { invocation, target } = await scheduler.deliveries.next()

  expect([invocation.kind, target.input]).toEqual(['deadLetter', '1'])
})

it('deleting a schedule drops its retries', async () => {
  failTarget(new Error('down'))
  await createDue({})
  await scheduler.deliveries.next()
  await until(() => !scheduler.engine.isRunning())

  await scheduler.client.send(new DeleteScheduleCommand({ Name: 't.task-1.abc' }))

  expect(scheduler.engine.nextDueAt()).toBeUndefined()
})
