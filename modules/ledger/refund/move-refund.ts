import { type RefundEvent, refundMachine } from '../../core/refund.ts'
import { revIs } from '../table/conditions.ts'
import type { Update } from '../table/make-write.ts'
import { moveRow } from '../table/move-row.ts'
import type { RefundRow } from '../table/rows.ts'
import type { Change } from '../table/write-types.ts'

/**
 * The only way a refund's state changes, conditional on the refund as it was read.
 * @throws IllegalTransitionError when the machine has no such edge
 */
export function moveRefund(refund: RefundRow, event: RefundEvent, change: Change<'REFUND'> = {}): Update {
  return moveRow(refundMachine, { target: refund, from: refund.state }, event, { change, when: revIs(refund.rev) })
}
