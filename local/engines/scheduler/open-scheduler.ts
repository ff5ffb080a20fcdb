import type { Clock } from '../../host/clock/clock.ts'
import type { Engine } from '../engine.ts'
import type { Deliver } from './delivery.ts'
import { Registry } from './registry.ts'
import { Runner } from './runner.ts'
import { scheduleArn } from './schedule.ts'
import { Store } from './store.ts'
import { handleRequest } from './wire/handle-request.ts'
import { checkName, readDefinition } from './wire/read-definition.ts'

/** One-time and recurring schedules on this machine. In-process calls answer after the commit, like the wire. */
export interface SchedulerEngine extends Engine {
  /** Creates a group unless it exists. @throws SchedulerError ValidationException */
  ensureGroup(name: string): Promise<void>
  /**
   * Creates a schedule, or brings an existing one to this definition; an unchanged time stays as planned.
   * @param definition as in the API or the template: ScheduleExpression, Target, FlexibleTimeWindow, …
   * @throws SchedulerError ValidationException, or ResourceNotFoundException without the group
   */
  putSchedule(group: string, name: string, definition: unknown): Promise<{ arn: string }>
  /** Whether a delivery is under way. */
  isRunning(): boolean
}

/**
 * Opens the schedules kept in a file; what was due while it was closed fires at once.
 * @param options.path a file, or `:memory:`
 * @param options.deliver hands a firing to its target; called in the order in which firings are due
 * @param options.report one line for each firing that was given up; standard error when absent
 */
export function openScheduler(options: {
  path: string
  clock: Clock
  deliver: Deliver
  report?: (line: string) => void
}): SchedulerEngine {
  const { clock, deliver, report = (line: string) => console.error(line) } = options
  const store = new Store(options.path)
  const registry = new Registry(store, () => clock.now())
  const runner = new Runner({ clock, store, registry, deliver, report })
  return {
    handle: (request, response) => handleRequest(registry, request, response),
    nextDueAt: () => runner.nextDueAt(),
    isRunning: () => runner.isRunning(),
    close: () => {
      runner.close()
      store.close()
    },
    ensureGroup: async (name) => {
      checkName('Name', name)
      if (!registry.hasGroup(name)) registry.createGroup(name)
      await registry.settled()
    },
    putSchedule: async (group, name, definition) => {
      checkName('Name', name)
      const wanted = readDefinition(definition)
      const existing = registry.find(group, name)
      if (existing === undefined) registry.create(group, name, wanted, undefined)
      else registry.update(existing, wanted)
      await registry.settled()
      return { arn: scheduleArn(group, name) }
    },
  }
}
