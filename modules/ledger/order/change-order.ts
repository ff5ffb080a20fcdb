import type { Instant } from '../../core/instant.ts'
import { stepOf } from '../../core/machine.ts'
import { type OrderEvent, orderMachine } from '../../core/order.ts'
import { allOf, type Condition, revIs, rowIsNew } from '../table/conditions.ts'
import { journalSk, orderKey } from '../table/keys.ts'
import type { JournalRow, OrderRow } from '../table/rows.ts'
import type { Write } from '../table/writes.ts'

/** Who moved an order and on what evidence: every change has one. */
export interface Cause {
  readonly operatorType: JournalRow['operatorType']
  /** Subject of a person, name of the policy, or the channel. */
  readonly operator: string
  /** Stable code or short text of why. */
  readonly reason: string
  /** Sort key of the row that proves it. */
  readonly evidence: string
}

/** The machine has no such edge: a decision was made from the wrong state. A bug, never a lost race. */
export class IllegalTransitionError extends Error {
  override readonly name = 'IllegalTransitionError'
  readonly code = 'ILLEGAL_TRANSITION'

  constructor(order: OrderRow, event: OrderEvent) {
    super(`Order ${order.orderNo} in ${order.status} has no edge '${event}'. Decide again from the row as it is now.`)
  }
}

/**
 * The order's move and its journal entry, conditional on the revision that the decision saw.
 * @param also what changes beside the status, and further conditions
 * @throws IllegalTransitionError
 */
export function moveOrder(
  order: OrderRow,
  event: OrderEvent,
  cause: Cause,
  now: Instant,
  also: {
    readonly set?: Readonly<Record<string, unknown>>
    readonly remove?: readonly string[]
    readonly when?: Condition
  } = {},
): readonly Write[] {
  const to = stepOf(orderMachine, order.status, event)
  if (to === undefined) throw new IllegalTransitionError(order, event)
  return [
    {
      op: 'update',
      key: orderKey(order.orderNo),
      set: { status: to, ...also.set },
      ...(also.remove !== undefined && { remove: also.remove }),
      when: also.when === undefined ? revIs(order.rev) : allOf(revIs(order.rev), also.when),
    },
    journal(order, to, cause, now),
  ]
}

/** Stops automatic effects on an order until a person decides; what it was frozen for first stays. */
export function freezeOrder(
  order: OrderRow,
  taskNo: string,
  cause: Cause,
  now: Instant,
  alsoSet: Readonly<Record<string, unknown>> = {},
): readonly Write[] {
  if (order.frozen !== undefined) return []
  return [
    {
      op: 'update',
      key: orderKey(order.orderNo),
      set: { ...alsoSet, frozen: { taskNo, reason: cause.reason, at: now } },
      when: revIs(order.rev),
    },
    journal(order, order.status, cause, now),
  ]
}

function journal(order: OrderRow, to: string, cause: Cause, now: Instant): Write {
  const orderRev = order.rev + 1
  return {
    op: 'put',
    when: rowIsNew,
    item: {
      pk: order.pk,
      sk: journalSk(orderRev),
      et: 'JOURNAL',
      orderNo: order.orderNo,
      orderRev,
      from: order.status,
      to,
      ...cause,
      at: now,
    },
  }
}
