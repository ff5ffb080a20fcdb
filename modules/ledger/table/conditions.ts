import type { Instant } from '../../core/instant.ts'
import type { OrderStatus } from '../../core/order.ts'
import type { PayAttemptState } from '../../core/pay-attempt.ts'

/** A condition of a write under a name, so that a loser knows which arm stood in the way. */
export interface Condition {
  readonly name: string
  readonly expression: string
  readonly names: Readonly<Record<string, string>>
  readonly values: Readonly<Record<string, unknown>>
}

/** Holds when no row of this key exists: the first to claim a number has it for ever. */
export const rowIsNew: Condition = { name: 'rowIsNew', expression: 'attribute_not_exists(pk)', names: {}, values: {} }

/** Holds when the row exists. */
export const rowExists: Condition = { name: 'rowExists', expression: 'attribute_exists(pk)', names: {}, values: {} }

/** Holds when no row of this key exists, or it is a guard: for one that is made once and written again and again. */
export const rowIsNewOrGuard: Condition = {
  name: 'rowIsNewOrGuard',
  expression: '(attribute_not_exists(pk) OR #et = :guard)',
  names: { '#et': 'et' },
  values: { ':guard': 'GUARD' },
}

/** Holds while nobody wrote the row since it was read: everything decided from it is still true. */
export const revIs = (rev: number): Condition => ({
  name: 'revIs',
  expression: '#rev = :rev',
  names: { '#rev': 'rev' },
  values: { ':rev': rev },
})

/** Holds while an order is in one of the states that the machine's edge starts from. */
export const orderStatusIs = (...statuses: readonly OrderStatus[]): Condition =>
  oneOf('orderStatusIs', 'status', statuses)

/** Holds while a payAttempt is in one of the states that the machine's edge starts from. */
export const payAttemptStateIs = (...states: readonly PayAttemptState[]): Condition =>
  oneOf('payAttemptStateIs', 'state', states)

/** Holds while a task waits (WAITING or RETRY) and its time has come, one second of clock skew allowed. */
export const taskIsDue = (latest: Instant): Condition => ({
  name: 'taskIsDue',
  expression: '#status IN (:waiting, :retry) AND nextExecuteAt <= :latest',
  names: { '#status': 'status' },
  values: { ':waiting': 'WAITING', ':retry': 'RETRY', ':latest': latest },
})

/** Holds while the claim is ours: same holder, same fence. A worker whose lease lapsed and was taken over fails here. */
export const claimIsOurs = (lockedBy: string, fence: number): Condition => ({
  name: 'claimIsOurs',
  expression: '#status = :processing AND lockedBy = :lockedBy AND fence = :fence',
  names: { '#status': 'status' },
  values: { ':processing': 'PROCESSING', ':lockedBy': lockedBy, ':fence': fence },
})

/**
 * Holds while no other effect works on the order, or the lease of the one that did has lapsed. The task's own earlier claim is
 * no other effect: the task waits again, so that claim was taken back.
 */
export const noOtherEffect = (now: Instant, taskNo: string): Condition => ({
  name: 'noOtherEffect',
  expression:
    '(attribute_not_exists(activeTask) OR activeTask.leaseUntil < :nowForLease OR activeTask.taskNo = :ownTask)',
  names: {},
  values: { ':nowForLease': now, ':ownTask': taskNo },
})

/** Holds while our own effect holds the order. */
export const effectIsOurs = (taskNo: string, fence: number): Condition => ({
  name: 'effectIsOurs',
  expression: 'activeTask.taskNo = :effectTask AND activeTask.fence = :effectFence',
  names: {},
  values: { ':effectTask': taskNo, ':effectFence': fence },
})

/** Holds while a ticket is open. */
export const taskIsManual: Condition = {
  name: 'taskIsManual',
  expression: '#status = :manual',
  names: { '#status': 'status' },
  values: { ':manual': 'MANUAL' },
}

/** Holds while the sweep's view of the row is current: somebody who acted has moved `dueAt`. */
export const dueAtIs = (dueAt: Instant): Condition => ({
  name: 'dueAtIs',
  expression: 'dueAt = :seenDueAt',
  names: {},
  values: { ':seenDueAt': dueAt },
})

/** Holds while a bucket can give so much: nothing is ever taken below zero. */
export const stockIsAvailable = (qty: number): Condition => ({
  name: 'stockIsAvailable',
  expression: '#available >= :qtyToTake',
  names: { '#available': 'available' },
  values: { ':qtyToTake': qty },
})

/** Holds while an attribute is absent. */
export const isAbsent = (attribute: string): Condition => ({
  name: `${attribute}IsAbsent`,
  expression: `attribute_not_exists(#absent_${attribute})`,
  names: { [`#absent_${attribute}`]: attribute },
  values: {},
})

/** Holds when every one of them holds. */
export function allOf(...conditions: readonly Condition[]): Condition {
  return {
    name: conditions.map((condition) => condition.name).join('+'),
    expression: conditions.map((condition) => condition.expression).join(' AND '),
    names: Object.assign({}, ...conditions.map((condition) => condition.names)),
    values: Object.assign({}, ...conditions.map((condition) => condition.values)),
  }
}

function oneOf(name: string, attribute: string, allowed: readonly string[]): Condition {
  const placeholders = allowed.map((_, index) => `:${name}${index}`)
  return {
    name,
    expression: `#${name} IN (${placeholders.join(', ')})`,
    names: { [`#${name}`]: attribute },
    values: Object.fromEntries(allowed.map((value, index) => [`:${name}${index}`, value])),
  }
}
