import type { JsonObject } from './json.ts'
import type { ResolvedTemplate } from './resolve-template.ts'

/** A schedule of EventBridge Scheduler that the template itself makes. */
export interface ScheduleSpec {
  group: string
  name: string
  /** As in the API, for the engine to read. */
  definition: JsonObject
}

/** The schedules of a template. */
export function readSchedules(template: ResolvedTemplate): ScheduleSpec[] {
  return template.ofType('AWS::Scheduler::Schedule').map((resource) => {
    const { GroupName: group, Name: _name, ...definition } = resource.properties
    return { group: typeof group === 'string' ? group : 'default', name: resource.ref, definition }
  })
}
