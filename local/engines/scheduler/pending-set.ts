import type { PendingInvocation } from './schedule.ts'

/** Firings that are not settled yet, by execution and by schedule. */
export class PendingSet {
  readonly #byExecution = new Map<string, PendingInvocation>()
  readonly #bySchedule = new Map<number, Set<PendingInvocation>>()

  add(invocation: PendingInvocation): void {
    this.#byExecution.set(invocation.executionId, invocation)
    const siblings = this.#bySchedule.get(invocation.scheduleId) ?? new Set()
    this.#bySchedule.set(invocation.scheduleId, siblings.add(invocation))
  }

  has(invocation: PendingInvocation): boolean {
    return this.#byExecution.get(invocation.executionId) === invocation
  }

  delete(invocation: PendingInvocation): void {
    this.#byExecution.delete(invocation.executionId)
    const siblings = this.#bySchedule.get(invocation.scheduleId)
    siblings?.delete(invocation)
    if (siblings?.size === 0) this.#bySchedule.delete(invocation.scheduleId)
  }

  ofSchedule(scheduleId: number): PendingInvocation[] {
    return [...(this.#bySchedule.get(scheduleId) ?? [])]
  }
}
