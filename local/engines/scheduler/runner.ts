import { randomUUID } from 'node:crypto'
import type { Clock } from '../../host/clock/clock.ts'
import { ClockAlarm } from '../sqs/clock-alarm.ts'
import { DueHeap } from '../sqs/due-heap.ts'
import { type Deliver, toDelivery } from './delivery.ts'
import { PendingSet } from './pending-set.ts'
import { fireAfter } from './plan-firing.ts'
import type { Registry } from './registry.ts'
import { backOffMs, planRetry } from './retry-plan.ts'
import type { PendingInvocation, Schedule } from './schedule.ts'
import type { Store } from './store.ts'

const maxRunning = 100
const maxDeadLetterAttempts = 10

type DueItem = { readonly schedule: Schedule } | { readonly invocation: PendingInvocation }

/**
 * Fires schedules when they are due, in order, and sees each firing through its retries.
 * A firing is on disk before its delivery starts and leaves it after, so that a crash repeats it and never loses it.
 */
export class Runner {
  readonly #clock: Clock
  readonly #store: Store
  readonly #registry: Registry
  readonly #deliver: Deliver
  readonly #report: (line: string) => void
  readonly #alarm: ClockAlarm
  readonly #openedAt: number
  readonly #pending = new PendingSet()
  readonly #running = new Set<PendingInvocation>()
  readonly #due = new DueHeap<DueItem>((item, at) => this.#isLive(item, at))
  #isClosed = false

  constructor(options: {
    clock: Clock
    store: Store
    registry: Registry
    deliver: Deliver
    report: (line: string) => void
  }) {
    this.#clock = options.clock
    this.#store = options.store
    this.#registry = options.registry
    this.#deliver = options.deliver
    this.#report = options.report
    this.#openedAt = this.#clock.now()
    this.#alarm = new ClockAlarm(this.#clock, () => this.advance())
    this.#registry.onArmed = (schedule) => this.#arm(schedule)
    this.#registry.onDeleted = (schedule) => this.#forget(schedule)
    for (const invocation of this.#store.loadInvocations()) this.#await(invocation)
    for (const schedule of this.#registry.schedules()) this.#arm(schedule)
  }

  nextDueAt(): number | undefined {
    return this.#due.nextAt()
  }

  isRunning(): boolean {
    return this.#running.size > 0
  }

  /** Starts everything that is due, as far as the limit on running deliveries lets it. */
  advance(): void {
    if (this.#isClosed) return
    const now = this.#clock.now()
    while (this.#running.size < maxRunning) {
      const item = this.#due.popDue(now)
      if (item === undefined) break
      this.#start('schedule' in item ? this.#fire(item.schedule) : item.invocation)
    }
    // At the limit the end of a delivery calls again.
    this.#alarm.set(this.#running.size < maxRunning ? this.#due.nextAt() : undefined)
  }

  close(): void {
    this.#isClosed = true
    this.#alarm.set(undefined)
  }

  #isLive(item: DueItem, at: number): boolean {
    if ('schedule' in item) return item.schedule.nextFireAt === at && this.#registry.holds(item.schedule)
    return item.invocation.nextTryAt === at && this.#pending.has(item.invocation) && !this.#running.has(item.invocation)
  }

  #arm(schedule: Schedule): void {
    if (schedule.nextFireAt !== undefined) this.#due.push(schedule.nextFireAt, { schedule })
    this.#alarm.set(this.#due.nextAt())
  }

  #await(invocation: PendingInvocation): void {
    this.#pending.add(invocation)
    this.#due.push(invocation.nextTryAt, { invocation })
    this.#alarm.set(this.#due.nextAt())
  }

  #fire(schedule: Schedule): PendingInvocation {
    const scheduledAt = schedule.nextFireAt ?? this.#clock.now()
    const invocation: PendingInvocation = {
      executionId: randomUUID(),
      scheduleId: schedule.id,
      group: schedule.group,
      name: schedule.name,
      target: schedule.definition.target,
      scheduledAt,
      firedAt: this.#clock.now(),
      attempt: 1,
      nextTryAt: scheduledAt,
      failure: undefined,
    }
    this.#store.putInvocation(invocation)
    this.#pending.add(invocation)
    // Firings that a stopped machine missed collapse into this one; those that a leap passes over are all made.
    schedule.nextFireAt = fireAfter(schedule.definition, scheduledAt, Math.max(scheduledAt, this.#openedAt))
    this.#store.armSchedule(schedule)
    if (schedule.nextFireAt !== undefined) this.#due.push(schedule.nextFireAt, { schedule })
    return invocation
  }

  #start(invocation: PendingInvocation): void {
    this.#running.add(invocation)
    this.#run(invocation).catch((error: unknown) => {
      this.#running.delete(invocation)
      this.#report(`scheduler: ${invocation.group}/${invocation.name} ${invocation.executionId}: ${String(error)}`)
    })
  }

  async #run(invocation: PendingInvocation): Promise<void> {
    await this.#store.commit.settled()
    const { target, invocation: details } = toDelivery(invocation)
    let failure: { readonly error: unknown } | undefined
    try {
      await this.#deliver(target, details)
    } catch (error) {
      failure = { error }
    }
    // A closed engine keeps the firing on disk: the next start repeats it.
    if (this.#isClosed) return
    this.#running.delete(invocation)
    if (this.#pending.has(invocation)) {
      if (failure === undefined) this.#settle(invocation)
      else this.#handleFailure(invocation, failure.error)
    }
    this.advance()
  }

  #handleFailure(invocation: PendingInvocation, error: unknown): void {
    if (invocation.failure !== undefined) this.#retryDeadLetter(invocation, error)
    else this.#retryTarget(invocation, error)
  }

  #retryTarget(invocation: PendingInvocation, error: unknown): void {
    const plan = planRetry(invocation, error, this.#clock.now())
    if ('retryAt' in plan) {
      this.#retry(invocation, plan.retryAt)
    } else if (invocation.target.DeadLetterConfig?.Arn === undefined) {
      this.#drop(invocation, error)
    } else {
      invocation.failure = plan
      invocation.attempt = 0
      this.#retry(invocation, this.#clock.now())
    }
  }

  #retryDeadLetter(invocation: PendingInvocation, error: unknown): void {
    if (invocation.attempt >= maxDeadLetterAttempts) this.#drop(invocation, error)
    else this.#retry(invocation, this.#clock.now() + backOffMs(invocation.attempt))
  }

  #retry(invocation: PendingInvocation, at: number): void {
    invocation.attempt++
    invocation.nextTryAt = at
    this.#store.putInvocation(invocation)
    this.#await(invocation)
  }

  /** AWS counts these in InvocationDroppedCount; here a line says so. */
  #drop(invocation: PendingInvocation, error: unknown): void {
    const { group, name, executionId, target } = invocation
    this.#report(`scheduler: ${group}/${name} ${executionId} to ${target.Arn} dropped: ${String(error)}`)
    this.#settle(invocation)
  }

  #settle(invocation: PendingInvocation): void {
    this.#pending.delete(invocation)
    this.#store.dropInvocation(invocation)
    const schedule = this.#registry.find(invocation.group, invocation.name)
    if (schedule?.id !== invocation.scheduleId) return
    const { isEnabled, deletesAfterCompletion } = schedule.definition
    const isComplete = schedule.nextFireAt === undefined && this.#pending.ofSchedule(schedule.id).length === 0
    if (isEnabled && deletesAfterCompletion && isComplete) this.#registry.delete(schedule)
  }

  #forget(schedule: Schedule): void {
    for (const invocation of this.#pending.ofSchedule(schedule.id)) {
      this.#pending.delete(invocation)
      this.#store.dropInvocation(invocation)
    }
    this.#alarm.set(this.#due.nextAt())
  }
}
