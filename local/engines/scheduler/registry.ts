import { invalid, SchedulerError } from './errors.ts'
import { firstFireAt } from './plan-firing.ts'
import type { Schedule, ScheduleDefinition, ScheduleGroup } from './schedule.ts'
import type { Store } from './store.ts'

const keyOf = (group: string, name: string): string => `${group}/${name}`

/** Which schedules and groups exist. Tells its listeners when one is armed anew or gone. */
export class Registry {
  readonly #store: Store
  readonly #now: () => number
  readonly #groups = new Map<string, ScheduleGroup>()
  readonly #schedules = new Map<string, Schedule>()
  onArmed: (schedule: Schedule) => void = () => {}
  onDeleted: (schedule: Schedule) => void = () => {}

  constructor(store: Store, now: () => number) {
    this.#store = store
    this.#now = now
    for (const group of store.loadGroups()) this.#groups.set(group.name, group)
    for (const schedule of store.loadSchedules()) this.#schedules.set(keyOf(schedule.group, schedule.name), schedule)
    if (!this.#groups.has('default')) this.createGroup('default')
  }

  settled(): Promise<void> {
    return this.#store.commit.settled()
  }

  find(group: string, name: string): Schedule | undefined {
    return this.#schedules.get(keyOf(group, name))
  }

  /** @throws SchedulerError ResourceNotFoundException */
  get(group: string, name: string): Schedule {
    const schedule = this.find(group, name)
    if (schedule === undefined)
      throw new SchedulerError('ResourceNotFoundException', `Schedule ${name} does not exist.`)
    return schedule
  }

  holds(schedule: Schedule): boolean {
    return this.find(schedule.group, schedule.name) === schedule
  }

  schedules(): Schedule[] {
    return [...this.#schedules.values()]
  }

  groups(): ScheduleGroup[] {
    return [...this.#groups.values()]
  }

  /** @throws SchedulerError ResourceNotFoundException */
  getGroup(name: string): ScheduleGroup {
    const group = this.#groups.get(name)
    if (group === undefined) {
      throw new SchedulerError('ResourceNotFoundException', `Schedule group ${name} does not exist.`)
    }
    return group
  }

  hasGroup(name: string): boolean {
    return this.#groups.has(name)
  }

  /** @throws SchedulerError ConflictException when the name is taken */
  createGroup(name: string): ScheduleGroup {
    if (this.#groups.has(name)) throw new SchedulerError('ConflictException', `Schedule group ${name} already exists.`)
    const group = { name, createdAt: this.#now() }
    this.#store.putGroup(group)
    this.#groups.set(name, group)
    return group
  }

  /** Deletes a group with everything in it. @throws SchedulerError ResourceNotFoundException or ValidationException */
  deleteGroup(name: string): void {
    if (name === 'default') throw invalid('The default schedule group cannot be deleted.')
    this.getGroup(name)
    for (const schedule of this.#schedules.values()) if (schedule.group === name) this.delete(schedule)
    this.#groups.delete(name)
    this.#store.dropGroup(name)
  }

  /**
   * Creates a schedule; the same request with the same token again is answered as done.
   * @throws SchedulerError ConflictException when the name is taken, ResourceNotFoundException without the group
   */
  create(group: string, name: string, definition: ScheduleDefinition, clientToken: string | undefined): Schedule {
    this.getGroup(group)
    const existing = this.find(group, name)
    if (existing !== undefined) {
      const isReplay = clientToken !== undefined && existing.clientToken === clientToken
      if (isReplay && isSame(existing.definition, definition)) return existing
      throw new SchedulerError('ConflictException', `Schedule ${name} already exists.`)
    }
    const now = this.#now()
    const nextFireAt = firstFireAt(definition, now)
    const times = { createdAt: now, modifiedAt: now, nextFireAt }
    const schedule = this.#store.insertSchedule({ group, name, clientToken, definition, ...times })
    this.#schedules.set(keyOf(group, name), schedule)
    this.onArmed(schedule)
    return schedule
  }

  /** Replaces a definition. What was planned stays planned unless the time itself was changed. */
  update(schedule: Schedule, definition: ScheduleDefinition): void {
    const keepsTime = isSame(timing(schedule.definition), timing(definition))
    if (!keepsTime) schedule.nextFireAt = firstFireAt(definition, this.#now())
    schedule.definition = definition
    schedule.modifiedAt = this.#now()
    this.#store.updateSchedule(schedule)
    this.onArmed(schedule)
  }

  delete(schedule: Schedule): void {
    this.#schedules.delete(keyOf(schedule.group, schedule.name))
    this.#store.dropSchedule(schedule)
    this.onDeleted(schedule)
  }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const timing = ({ expression, timeZone, startAt, endAt, isEnabled }: ScheduleDefinition): unknown[] => [
  expression,
  timeZone,
  startAt,
  endAt,
  isEnabled,
]
