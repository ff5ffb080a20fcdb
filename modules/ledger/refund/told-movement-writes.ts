import type { ToldMovement } from '../../core/decide-undo.ts'
import type { Instant } from '../../core/instant.ts'
import { type Currency, type MinorUnits, toMinorUnits } from '../../core/money.ts'
import type { RefundEvent, RefundState } from '../../core/refund.ts'
import { revIs, rowIsNew } from '../table/conditions.ts'
import { refundGuard, refundSk } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import { refundNoOf } from '../table/names.ts'
import type { PaymentRow, RefundRow } from '../table/rows.ts'
import { put, update } from '../table/writes.ts'
import { moveRefund } from './move-refund.ts'

/** The edge that leads a told movement into a state. */
const EVENT_INTO: { readonly [State in RefundState]?: RefundEvent } = {
  DONE: 'finish',
  REFUSED: 'refuse',
  REVERSED: 'reverse',
}

/** A movement that a channel told us of: its first row, or what is new about it. */
export function toldMovementWrites(
  payment: Pick<PaymentRow, 'pk' | 'orderNo' | 'channel' | 'channelTxnId'> & { readonly currency: Currency },
  known: RefundRow | undefined,
  movement: ToldMovement & { readonly answerBy?: Instant | undefined },
  now: Instant,
): readonly Write[] {
  const amount = toMinorUnits(movement.amount)
  const { newsAt, answerBy } = movement
  if (known === undefined) return firstRow(payment, { ...movement, amount }, now)
  const change = { set: { amount, newsAt, answerBy } }
  const event = known.state === movement.state ? undefined : EVENT_INTO[movement.state]
  if (event === undefined) return [update(known, change, revIs(known.rev))]
  return [moveRefund(known, event, change)]
}

function firstRow(
  payment: Parameters<typeof toldMovementWrites>[0],
  movement: Omit<ToldMovement, 'amount'> & { readonly amount: MinorUnits; readonly answerBy?: Instant | undefined },
  now: Instant,
): readonly Write[] {
  const { pk, orderNo, channel, channelTxnId, currency } = payment
  const { cause, id, amount, state, newsAt, answerBy } = movement
  const refundNo = refundNoOf({ cause, orderNo, channel, channelTxnId }, id)
  const row = {
    pk,
    sk: refundSk(refundNo),
    et: 'REFUND',
    refundNo,
    cause,
    channel,
    channelTxnId,
    amount,
    currency,
  } as const
  return [
    put({ ...row, channelRefundId: id, newsAt, answerBy, state, wire: 1, run: 1, createdAt: now }, rowIsNew),
    put({ ...refundGuard(refundNo), et: 'GUARD', orderNo, collection: pk }, rowIsNew),
  ]
}
