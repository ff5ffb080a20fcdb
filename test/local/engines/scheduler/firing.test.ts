import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  GetScheduleCommand,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { aSchedule, at, queueTarget, startScheduler } from './start-scheduler.ts'
import { until } from './until.ts'

let scheduler: Awaited<ReturnType<typeof startScheduler>>

beforeEach(async () => {
  scheduler = await startScheduler()
})
afterEach(() => scheduler.stop())

const create = (changes: Partial<CreateScheduleCommandInput> = {}) =>
  scheduler.client.send(new CreateScheduleCommand({ ...aSchedule(scheduler.clock), ...changes }))

const exists = (Name: string) =>
  scheduler.client.send(new GetScheduleCommand({ Name })).then(
    () => true,
    () => false,
  )

it('a one-time schedule fires when a leap reaches it, with its context filled in', async () => {
  const Input =
    '{"arn":"<aws.scheduler.schedule-arn>","at":"<aws.scheduler.scheduled-time>","id":"<aws.scheduler.execution-id>","n":<aws.scheduler.attempt-number>,"other":"<aws.scheduler.colour>"}'
  const dueAt = Math.floor(scheduler.clock.now() / 1000) * 1000 + 3_600_000
  await create({
    ScheduleExpression: at(dueAt),
    Target: { ...queueTarget, Input, SqsParameters: { MessageGroupId: 'alipay' } },
  })
  const planned = scheduler.engine.nextDueAt()

  scheduler.clock.leap(3_600_000)
  const { target, invocation } = await scheduler.deliveries.next()

  expect(planned).toBe(dueAt)
  expect(target).toMatchObject({ arn: queueTarget.Arn, roleArn: queueTarget.RoleArn, messageGroupId: 'alipay' })
  expect(JSON.parse(target.input)).toEqual({
    arn: 'arn:aws:scheduler:us-east-1:000000000000:schedule/default/t.task-1.abc',
    at: new Date(dueAt).toISOString().replace('.000Z', 'Z'),
    id: invocation.executionId,
    n: 1,
    other: '<aws.scheduler.colour>',
  })
  expect(scheduler.engine.nextDueAt()).toBeUndefined()
})

it('a one-time schedule in the past fires at once', async () => {
  await create({ ScheduleExpression: 'at(2020-01-01T00:00:00)' })

  const { invocation } = await scheduler.deliveries.next()

  expect(invocation.scheduledAt).toBe(Date.parse('2020-01-01T00:00:00Z'))
})

it('with DELETE a schedule is gone after it fired, otherwise it stays without firing again', async () => {
  const past = { ScheduleExpression: 'at(2020-01-01T00:00:00)' }
  await create({ ...past, Name: 'deleted', ActionAfterCompletion: 'DELETE' })
  await create({ ...past, Name: 'kept' })
  await scheduler.deliveries.next()
  await scheduler.deliveries.next()

  await until(async () => !(await exists('deleted')))

  expect(await exists('kept')).toBe(true)
  expect(scheduler.deliveries.arrived).toHaveLength(2)
})

it('updating a fired schedule without touching its time does not fire it again', async () => {
  const past = { ...aSchedule(scheduler.clock), ScheduleExpression: 'at(2020-01-01T00:00:00)' }
  await create(past)
  await scheduler.deliveries.next()

  await scheduler.client.send(new UpdateScheduleCommand({ ...past, Description: 'only words' }))

  expect(scheduler.engine.nextDueAt()).toBeUndefined()
})

it('after a leap everything that fell due is delivered in order', async () => {
  const start = Math.floor(scheduler.clock.now() / 1000) * 1000
  await create({ Name: 'third', ScheduleExpression: at(start + 150_000) })
  await create({ Name: 'first', ScheduleExpression: at(start + 30_000) })
  await create({ Name: 'every', ScheduleExpression: 'rate(1 minute)', StartDate: new Date(start + 60_000) })

  scheduler.clock.leap(200_000)
  const names: string[] = []
  for (let i = 0; i < 5; i++) names.push((await scheduler.deliveries.next()).invocation.name)

  expect(names).toEqual(['first', 'every', 'every', 'third', 'every'])
})

it('a rate fires at once without a start, and then in step', async () => {
  await create({ ScheduleExpression: 'rate(5 minutes)' })
  const first = await scheduler.deliveries.next()
  scheduler.clock.leap(300_000)
  const second = await scheduler.deliveries.next()

  expect(second.invocation.scheduledAt - first.invocation.scheduledAt).toBe(300_000)
})

it('a recurring schedule ends at its end, and with DELETE is gone then', async () => {
  await create({
    Name: 'ends',
    ScheduleExpression: 'rate(1 minute)',
    EndDate: new Date(scheduler.clock.now() + 90_000),
    ActionAfterCompletion: 'DELETE',
  })
  await scheduler.deliveries.next()
  scheduler.clock.leap(600_000)
  await scheduler.deliveries.next()

  await until(async () => !(await exists('ends')))

  expect(scheduler.deliveries.arrived).toHaveLength(2)
})

it('a cron starts after its start', async () => {
  const StartDate = new Date('2031-06-01T12:00:00Z')
  await create({ ScheduleExpression: 'cron(0 12 * * ? *)', StartDate })

  expect(scheduler.engine.nextDueAt()).toBe(StartDate.getTime())
})

it('a disabled schedule does not fire until it is enabled', async () => {
  const input = { ...aSchedule(scheduler.clock), State: 'DISABLED' as const }
  await create(input)
  const dueWhileDisabled = scheduler.engine.nextDueAt()
  scheduler.clock.leap(7_200_000)

  await scheduler.client.send(new UpdateScheduleCommand({ ...input, State: 'ENABLED' }))
  await scheduler.deliveries.next()

  expect(dueWhileDisabled).toBeUndefined()
  expect(scheduler.deliveries.arrived).toHaveLength(1)
})

it('a target without input gets the default event', async () => {
  const { Arn, RoleArn } = queueTarget
  await create({ ScheduleExpression: 'at(2020-01-01T00:00:00)', Target: { Arn, RoleArn } })

  const { target } = await scheduler.deliveries.next()

  expect(JSON.parse(target.input)).toMatchObject({ source: 'aws.scheduler', 'detail-type': 'Scheduled Event' })
})

it('more deliveries fall due than may run at once, and all of them are made', async () => {
  const StartDate = new Date(scheduler.clock.now() + 60_000)
  await create({ ScheduleExpression: 'rate(1 minute)', StartDate })

  scheduler.clock.leap(300 * 60_000)
  for (let i = 0; i < 300; i++) await scheduler.deliveries.next()

  const times = scheduler.deliveries.arrived.map(({ invocation }) => invocation.scheduledAt)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
})
