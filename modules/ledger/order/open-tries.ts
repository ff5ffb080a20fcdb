import { isOpen } from '../../core/pay-attempt.ts'
import { allOf, type Condition, revIs } from '../table/conditions.ts'
import type { Update } from '../table/make-write.ts'
import type { OrderRow, PayAttemptRow } from '../table/rows.ts'
import { update } from '../table/writes.ts'

/**
 * How many tries of an order stay open when these end. Each end is written with the order, so that two of one moment see each other.
 * @returns `undefined` for a row of the first release, which does not count them: it is not made to
 */
export function openTriesAfter({ openTries }: OrderRow, ended: readonly PayAttemptRow[]): number | undefined {
  return openTries === undefined
    ? undefined
    : Math.max(0, openTries - ended.filter(({ state }) => isOpen(state)).length)
}

/** The order's own write where tries end and nothing else of it changes, conditional on the order as it was read. */
export function countEnded(order: OrderRow, ended: readonly PayAttemptRow[]): Update {
  return update(order, { set: { openTries: openTriesAfter(order, ended) } }, revIs(order.rev))
}

/**
 * As {@link countEnded}, and gives the order back to other effects.
 * @param ours holds while this effect holds the order
 */
export function countEndedAndRelease(order: OrderRow, ended: readonly PayAttemptRow[], ours: Condition): Update {
  const set = { openTries: openTriesAfter(order, ended) }
  return update(order, { set, remove: ['activeTask'] }, allOf(revIs(order.rev), ours))
}
