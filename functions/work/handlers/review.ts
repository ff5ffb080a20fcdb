import { parseReviewNo } from '../../../modules/core/biz-no.ts'
import { readRows } from '../../../modules/ledger/read/queries.ts'
import { paymentSk } from '../../../modules/ledger/table/keys.ts'
import type { PaymentRow } from '../../../modules/ledger/table/rows.ts'
import type { Look, TaskHandler, TaskView } from '../task-handler.ts'

/**
 * REVIEW before it is a ticket: money of a payment that nobody has told yet was undone. A day later the payment has come, or a
 * person is asked. Source: docs/design/money-back.md, Undone money
 */
export const reviewHandler: TaskHandler = {
  load: async (ledger, task) => {
    const about = parseReviewNo(task.bizNo)
    if (about === undefined) return []
    const rows = await readRows(ledger, [{ pk: task.pk, sk: paymentSk(about.channel, about.channelTxnId) }])
    return rows.filter((row) => row !== undefined)
  },
  look: lookForPayment,
  call: async () => ({ outcome: { kind: 'done' } }),
}

function lookForPayment({ rows }: TaskView): Look {
  const payment = rows.find((row) => row.et === 'PAYMENT')
  if (payment?.role !== 'AWAITED') return { kind: 'moot', status: 'CLOSED', reason: 'PAYMENT_ARRIVED' }
  if (!saysMoneyMoved(payment)) return { kind: 'moot', status: 'CLOSED', reason: 'NOTHING_WAS_PAID' }
  return {
    kind: 'escalate',
    reason: 'UNDONE_WITHOUT_PAYMENT',
    message: 'The channel told of money back of a payment that nobody told. Look at the transaction in its console.',
  }
}

/** A cancel of what was never paid moved no money. */
function saysMoneyMoved({ told, heard = {}, amountUnknown = false }: PaymentRow): boolean {
  return (told ?? 0) > 0 || amountUnknown || Object.keys(heard).length > 0
}
