import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  CreateScheduleGroupCommand,
  DeleteScheduleCommand,
  DeleteScheduleGroupCommand,
  GetScheduleCommand,
  GetScheduleGroupCommand,
  ListScheduleGroupsCommand,
  ListSchedulesCommand,
  ResourceNotFoundException,
  UpdateScheduleCommand,
  ValidationException,
} from '@aws-sdk/client-scheduler'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aSchedule, deadLetterArn, queueTarget, startScheduler } from './start-scheduler.ts'

let scheduler: Awaited<ReturnType<typeof startScheduler>>

beforeEach(async () => {
  scheduler = await startScheduler()
})
afterEach(() => scheduler.stop())

const create = (changes: Partial<CreateScheduleCommandInput> = {}) =>
  scheduler.client.send(new CreateScheduleCommand({ ...aSchedule(scheduler.clock), ...changes }))

it('a schedule is given back as it was created', async () => {
  await scheduler.client.send(new CreateScheduleGroupCommand({ Name: 'backstop' }))
  const input = {
    ...aSchedule(scheduler.clock),
    GroupName: 'backstop',
    ScheduleExpression: 'cron(0 9 * * ? *)',
    ScheduleExpressionTimezone: 'Asia/Shanghai',
    StartDate: new Date('2027-01-01T00:00:00Z'),
    EndDate: new Date('2028-01-01T00:00:00Z'),
    Description: 'statement of the day before',
    State: 'DISABLED' as const,
    ActionAfterCompletion: 'DELETE' as const,
    FlexibleTimeWindow: { Mode: 'FLEXIBLE' as const, MaximumWindowInMinutes: 15 },
    Target: {
      ...queueTarget,
      DeadLetterConfig: { Arn: deadLetterArn },
      RetryPolicy: { MaximumRetryAttempts: 3, MaximumEventAgeInSeconds: 3600 },
      SqsParameters: { MessageGroupId: 'alipay' },
    },
  }

  const created = await create(input)
  const found = await scheduler.client.send(new GetScheduleCommand({ Name: input.Name, GroupName: 'backstop' }))

  expect(created.ScheduleArn).toBe('arn:aws:scheduler:us-east-1:000000000000:schedule/backstop/t.task-1.abc')
  expect(found).toMatchObject({ ...input, Arn: created.ScheduleArn })
  expect(found.CreationDate).toBeInstanceOf(Date)
})

it('the same request with the same token again is answered as done; with another token it conflicts', async () => {
  const input = { ...aSchedule(scheduler.clock), ClientToken: 'token-1' }
  const first = await create(input)

  const replay = await create(input)

  expect(replay.ScheduleArn).toBe(first.ScheduleArn)
  await expect(create({ ...input, ClientToken: 'token-2' })).rejects.toBeInstanceOf(ConflictException)
  await expect(create({ ...input, Description: 'other' })).rejects.toBeInstanceOf(ConflictException)
})

it('an update replaces everything and moves the due time', async () => {
  const input = { ...aSchedule(scheduler.clock), Description: 'first' }
  await create(input)
  const dueBefore = scheduler.engine.nextDueAt()
  const { ScheduleExpression } = aSchedule({ now: () => scheduler.clock.now() + 60_000 })

  await scheduler.client.send(new UpdateScheduleCommand({ ...aSchedule(scheduler.clock), ScheduleExpression }))
  const found = await scheduler.client.send(new GetScheduleCommand({ Name: input.Name }))

  expect(found.Description).toBeUndefined()
  expect((scheduler.engine.nextDueAt() ?? 0) - (dueBefore ?? 0)).toBeGreaterThanOrEqual(59_000)
})

it('a deleted schedule is not due and cannot be found', async () => {
  const { Name } = aSchedule(scheduler.clock)
  await create()

  await scheduler.client.send(new DeleteScheduleCommand({ Name }))

  expect(scheduler.engine.nextDueAt()).toBeUndefined()
  const looking = scheduler.client.send(new GetScheduleCommand({ Name }))
  await expect(looking).rejects.toBeInstanceOf(ResourceNotFoundException)
  const again = scheduler.client.send(new DeleteScheduleCommand({ Name }))
  await expect(again).rejects.toBeInstanceOf(ResourceNotFoundException)
})

it('schedules are listed by group, prefix and state, page by page', async () => {
  await scheduler.client.send(new CreateScheduleGroupCommand({ Name: 'g' }))
  for (const Name of ['a-3', 'a-1', 'b-1', 'a-2']) await create({ Name, GroupName: 'g' })
  await create({ Name: 'a-4', GroupName: 'g', State: 'DISABLED' })
  await create({ Name: 'a-5' })
  const query = { GroupName: 'g', NamePrefix: 'a-', State: 'ENABLED' as const, MaxResults: 2 }

  const first = await scheduler.client.send(new ListSchedulesCommand(query))
  const second = await scheduler.client.send(new ListSchedulesCommand({ ...query, NextToken: first.NextToken }))

  expect(first.Schedules?.map(({ Name }) => Name)).toEqual(['a-1', 'a-2'])
  expect(second.Schedules?.map(({ Name }) => Name)).toEqual(['a-3'])
  expect(second.NextToken).toBeUndefined()
})

it('a group holds schedules and takes them with it', async () => {
  await scheduler.client.send(new CreateScheduleGroupCommand({ Name: 'g' }))
  await create({ GroupName: 'g' })
  const groups = await scheduler.client.send(new ListScheduleGroupsCommand({}))

  await scheduler.client.send(new DeleteScheduleGroupCommand({ Name: 'g' }))

  expect(groups.ScheduleGroups?.map(({ Name }) => Name)).toEqual(['default', 'g'])
  expect(scheduler.engine.nextDueAt()).toBeUndefined()
  const looking = scheduler.client.send(new GetScheduleGroupCommand({ Name: 'g' }))
  await expect(looking).rejects.toBeInstanceOf(ResourceNotFoundException)
})

it('a schedule in a group that is not there is refused', async () => {
  await expect(create({ GroupName: 'nowhere' })).rejects.toBeInstanceOf(ResourceNotFoundException)
})

it('a second group of the same name conflicts, and the default group stays', async () => {
  const create = () => scheduler.client.send(new CreateScheduleGroupCommand({ Name: 'default' }))
  const remove = () => scheduler.client.send(new DeleteScheduleGroupCommand({ Name: 'default' }))

  await expect(create()).rejects.toBeInstanceOf(ConflictException)
  await expect(remove()).rejects.toBeInstanceOf(ValidationException)
})

describe('a ValidationException meets', () => {
  it.each<[string, Partial<CreateScheduleCommandInput>]>([
    ['a name with other characters', { Name: 'a:b' }],
    ['a name above 64 characters', { Name: 'x'.repeat(65) }],
    ['an expression that is none', { ScheduleExpression: 'cron(1 2 3)' }],
    ['an unknown time zone', { ScheduleExpressionTimezone: 'Mars/Olympus' }],
    ['a flexible window without width', { FlexibleTimeWindow: { Mode: 'FLEXIBLE' } }],
    ['a target that is no ARN', { Target: { ...queueTarget, Arn: 'tasks' } }],
    ['186 retries', { Target: { ...queueTarget, RetryPolicy: { MaximumRetryAttempts: 186 } } }],
    ['an end before its start', { StartDate: new Date(2e12), EndDate: new Date(1e12) }],
    ['an input above 256 KB', { Target: { ...queueTarget, Input: 'x'.repeat(262_145) } }],
  ])('%s', async (_title, changes) => {
    await expect(create(changes)).rejects.toBeInstanceOf(ValidationException)
  })
})

it('the host puts a schedule of the template again without moving its time', async () => {
  const definition = { ...aSchedule(scheduler.clock), ScheduleExpression: 'rate(10 minutes)' }
  await scheduler.engine.ensureGroup('g')
  await scheduler.engine.putSchedule('g', 'sweep', definition)
  await scheduler.deliveries.next()
  const dueBefore = scheduler.engine.nextDueAt()

  await scheduler.engine.ensureGroup('g')
  const { arn } = await scheduler.engine.putSchedule('g', 'sweep', { ...definition, Description: 'new' })

  expect(arn).toBe('arn:aws:scheduler:us-east-1:000000000000:schedule/g/sweep')
  expect(scheduler.engine.nextDueAt()).toBe(dueBefore)
})
