import { z } from 'zod'
import { invalid } from '../errors.ts'
import { type Schedule, scheduleArn } from '../schedule.ts'
import { cutPage, type Operation } from './operation.ts'
import { checkName, readDefinition } from './read-definition.ts'

const identitySchema = z.object({
  GroupName: z.string().default('default'),
  ClientToken: z
    .string()
    .regex(/^[a-zA-Z0-9\-_]{1,64}$/)
    .optional(),
})

function readIdentity(body: unknown): z.infer<typeof identitySchema> {
  const parsed = identitySchema.safeParse(body)
  if (!parsed.success) throw invalid('Invalid GroupName or ClientToken.')
  checkName('GroupName', parsed.data.GroupName)
  return parsed.data
}

const groupOf = (query: URLSearchParams): string => query.get('groupName') ?? 'default'

/** POST /schedules/{Name} */
export const createSchedule: Operation = (registry, { name, body }) => {
  checkName('Name', name)
  const { GroupName, ClientToken } = readIdentity(body)
  registry.create(GroupName, name, readDefinition(body), ClientToken)
  return { ScheduleArn: scheduleArn(GroupName, name) }
}

/** PUT /schedules/{Name} */
export const updateSchedule: Operation = (registry, { name, body }) => {
  const { GroupName } = readIdentity(body)
  registry.update(registry.get(GroupName, name), readDefinition(body))
  return { ScheduleArn: scheduleArn(GroupName, name) }
}

/** DELETE /schedules/{Name} */
export const deleteSchedule: Operation = (registry, { name, query }) => {
  registry.delete(registry.get(groupOf(query), name))
  return {}
}

const toSeconds = (instantMs: number): number => instantMs / 1000

const summarize = (schedule: Schedule): Record<string, unknown> => ({
  Arn: scheduleArn(schedule.group, schedule.name),
  GroupName: schedule.group,
  Name: schedule.name,
  State: schedule.definition.isEnabled ? 'ENABLED' : 'DISABLED',
  CreationDate: toSeconds(schedule.createdAt),
  LastModificationDate: toSeconds(schedule.modifiedAt),
})

/** GET /schedules/{Name} */
export const getSchedule: Operation = (registry, { name, query }) => {
  const schedule = registry.get(groupOf(query), name)
  const { expression, timeZone, startAt, endAt, description, window, target, deletesAfterCompletion } =
    schedule.definition
  return {
    ...summarize(schedule),
    ScheduleExpression: expression,
    ScheduleExpressionTimezone: timeZone,
    StartDate: startAt === undefined ? undefined : toSeconds(startAt),
    EndDate: endAt === undefined ? undefined : toSeconds(endAt),
    Description: description,
    FlexibleTimeWindow: window,
    ActionAfterCompletion: deletesAfterCompletion ? 'DELETE' : 'NONE',
    Target: target,
  }
}

/** GET /schedules */
export const listSchedules: Operation = (registry, { query }) => {
  const [group, prefix, state] = [query.get('ScheduleGroup'), query.get('NamePrefix') ?? '', query.get('State')]
  if (group !== null) registry.getGroup(group)
  const schedules = registry
    .schedules()
    .filter((schedule) => schedule.name.startsWith(prefix))
    .filter((schedule) => group === null || schedule.group === group)
    .filter(({ definition }) => state === null || (state === 'ENABLED') === definition.isEnabled)
  const { page, ...token } = cutPage(schedules, (schedule) => `${schedule.group}/${schedule.name}`, query)
  const summaries = page.map((schedule) => ({
    ...summarize(schedule),
    Target: { Arn: schedule.definition.target.Arn },
  }))
  return { Schedules: summaries, ...token }
}
