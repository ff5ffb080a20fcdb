import { groupArn, type ScheduleGroup } from '../schedule.ts'
import { cutPage, type Operation } from './operation.ts'
import { checkName } from './read-definition.ts'

const describe = ({ name, createdAt }: ScheduleGroup): Record<string, unknown> => ({
  Arn: groupArn(name),
  Name: name,
  State: 'ACTIVE',
  CreationDate: createdAt / 1000,
  LastModificationDate: createdAt / 1000,
})

/** POST /schedule-groups/{Name} */
export const createScheduleGroup: Operation = (registry, { name }) => {
  checkName('Name', name)
  registry.createGroup(name)
  return { ScheduleGroupArn: groupArn(name) }
}

/** GET /schedule-groups/{Name} */
export const getScheduleGroup: Operation = (registry, { name }) => describe(registry.getGroup(name))

/** DELETE /schedule-groups/{Name} */
export const deleteScheduleGroup: Operation = (registry, { name }) => {
  registry.deleteGroup(name)
  return {}
}

/** GET /schedule-groups */
export const listScheduleGroups: Operation = (registry, { query }) => {
  const prefix = query.get('NamePrefix') ?? ''
  const groups = registry.groups().filter(({ name }) => name.startsWith(prefix))
  const { page, ...token } = cutPage(groups, ({ name }) => name, query)
  return { ScheduleGroups: page.map(describe), ...token }
}
