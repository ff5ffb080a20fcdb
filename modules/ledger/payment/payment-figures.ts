import { type Balance, balanceOf, type Tellings } from '../../core/balance.ts'
import type { FileMovement, ToldMovement, UndoFile } from '../../core/decide-undo.ts'
import { toMinorUnits } from '../../core/money.ts'
import type { PaymentRow, RefundRow } from '../table/rows.ts'

/** What the core needs to know of a payment's money: its own row, and the refunds of its file. */
export function moneyOf(payment: PaymentRow, refunds: readonly RefundRow[]): UndoFile['payment'] {
  return {
    role: payment.role,
    paid: payment.paid,
    tellings: tellingsOf(payment),
    movements: movementsOf(payment, refunds),
    amountUnknown: payment.amountUnknown ?? false,
  }
}

/** The balance of a payment, also of a row of an earlier release that has no `free`. */
export function balanceOfRow(payment: PaymentRow, refunds: readonly RefundRow[]): Balance {
  return balanceOf(payment.paid, movementsOf(payment, refunds), tellingsOf(payment))
}

function tellingsOf({ told, foreign, allBack }: PaymentRow): Tellings {
  return { told: told ?? 0, foreign: foreign ?? 0, allBack: allBack ?? false }
}

/** The refunds of one payment, and what was heard of it before it came. */
function movementsOf(payment: PaymentRow, refunds: readonly RefundRow[]): readonly FileMovement[] {
  const heard = heardOf(payment).map((one): FileMovement => ({ ...one, refundNo: '' }))
  const rows = refunds
    .filter(({ channel, channelTxnId }) => channel === payment.channel && channelTxnId === payment.channelTxnId)
    .map(
      ({ cause, state, amount, refundNo, channelRefundId, newsAt, firstClaimAt }): FileMovement => ({
        cause,
        state,
        amount,
        refundNo,
        ...(channelRefundId !== undefined && { id: channelRefundId }),
        ...(newsAt !== undefined && { newsAt }),
        ...(firstClaimAt !== undefined && { firstClaimAt }),
      }),
    )
  return [...heard, ...rows]
}

/** Movements that were told before their payment came. */
export function heardOf({ heard = {} }: PaymentRow): readonly ToldMovement[] {
  return Object.values(heard).map(({ newsAt, ...one }) => ({ ...one, ...(newsAt !== undefined && { newsAt }) }))
}

/** A payment's figures after a change: written whole, so that they are always the sums of the rows. */
export function figures(balance: Balance, tellings: Tellings) {
  const { refunded, external, disputed, reserved, free } = balance
  return {
    refunded: toMinorUnits(refunded),
    reserved: toMinorUnits(reserved),
    external: toMinorUnits(external),
    disputed: toMinorUnits(disputed),
    told: toMinorUnits(tellings.told),
    foreign: toMinorUnits(tellings.foreign),
    allBack: tellings.allBack,
    free,
  }
}
