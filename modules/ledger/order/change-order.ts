import type { TaskNo } from '../../core/ids.ts'
import type { Instant } from '../../core/instant.ts'
import { stepOf } from '../../core/machine.ts'
import type { OperatorType } from '../../core/operator.ts'
import { type OrderEvent, type OrderStatus, orderMachine } from '../../core/order.ts'
import { allOf, type Condition, revIs, rowIsNew } from '../table/conditions.ts'
import { journalSk } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import { moveRow } from '../table/move-row.ts'
import type { OrderRow } from '../table/rows.ts'
import type { Change, SetOf } from '../table/write-types.ts'
import { put, update } from '../table/writes.ts'

/** Who moved an order and on what evidence: every change has one. */
export interface Cause {
  readonly operatorType: OperatorType
  /** Subject of a person, name of the policy, or the channel. */
  readonly operator: string
  /** Stable code or short text of why. */
  readonly reason: string
  /** Sort key of the row that proves it. */
  readonly evidence: string
}

/**
 * The order's move and its journal entry, conditional on the revision that the decision saw.
 * @param also what changes beside the status, and further conditions
 * @throws IllegalTransitionError
 */
export function moveOrder(
  order: OrderRow,
  event: OrderEvent,
  why: { readonly cause: Cause; readonly now: Instant },
  also: Change<'ORDER'> & { readonly when?: Condition } = {},
): readonly Write[] {
  const { when, ...change } = also
  const seen = revIs(order.rev)
  const moved = moveRow(orderMachine, { target: order, from: order.status }, event, {
    change,
    when: when === undefined ? seen : allOf(seen, when),
  })
  const to = stepOf(orderMachine, order.status, event) ?? order.status
  return [moved, journal(order, to, why)]
}

/** Stops automatic effects on an order until a person decides; what it was frozen for first stays. */
export function freezeOrder(
  order: OrderRow,
  taskNo: TaskNo,
  why: { readonly cause: Cause; readonly now: Instant },
  alsoSet: SetOf<'ORDER'> = {},
): readonly Write[] {
  if (order.frozen !== undefined) return []
  const frozen = { taskNo, reason: why.cause.reason, at: why.now }
  return [update(order, { set: { ...alsoSet, frozen } }, revIs(order.rev)), journal(order, order.status, why)]
}

function journal(
  order: OrderRow,
  to: OrderStatus,
  { cause, now }: { readonly cause: Cause; readonly now: Instant },
): Write {
  const { pk, orderNo, status: from } = order
  const orderRev = order.rev + 1
  return put({ pk, sk: journalSk(orderRev), et: 'JOURNAL', orderNo, orderRev, from, to, ...cause, at: now }, rowIsNew)
}
