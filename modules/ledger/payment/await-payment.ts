import { type Balance, balanceOf, type Tellings } from '../../core/balance.ts'
import { parseReviewNo } from '../../core/biz-no.ts'
import type { ToldMovement, UndoNews } from '../../core/decide-undo.ts'
import type { ChannelId, ChannelTxnId, OutTradeNo } from '../../core/ids.ts'
import { plusMs } from '../../core/instant.ts'
import { type Currency, NOTHING, toMinorUnits } from '../../core/money.ts'
import type { TaskContext } from '../context.ts'
import type { Location } from '../read/locate-order.ts'
import { rowIsNew } from '../table/conditions.ts'
import { paymentSk, transactionGuard } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import type { PaymentRow, TaskRow } from '../table/rows.ts'
import { put } from '../table/writes.ts'
import { endTask } from '../task/end-task.ts'
import { putTask } from '../task/put-task.ts'
import { factNo } from '../ticket/raise-ticket.ts'
import { figures } from './payment-figures.ts'

/** How long the payment may come later than the news that it was undone, before a person is asked. */
export const AWAIT_MS = 24 * 60 * 60 * 1000

export interface Awaited {
  readonly location: Location
  readonly channel: ChannelId
  readonly channelTxnId: ChannelTxnId
  readonly outTradeNo: OutTradeNo | undefined
  readonly currency: Currency
  readonly news: UndoNews
  readonly tellings: Tellings
  readonly row: ToldMovement | undefined
  readonly amountUnknown: boolean
  /** Sort key of what proves the news. */
  readonly evidence: string
}

/**
 * A payment whose undoing was heard first: its row, the guard by which the payment finds it, and a look a day later whether it has
 * come. Source: docs/design/money-back.md, Undone money
 */
export function awaitPayment(awaited: Awaited, context: TaskContext): readonly Write[] {
  const { location, channel, channelTxnId, outTradeNo, currency, tellings, row, amountUnknown } = awaited
  const { pk, orderNo } = location
  const guard = { ...transactionGuard(channel, channelTxnId), et: 'GUARD' } as const
  const payment = {
    pk,
    sk: paymentSk(channel, channelTxnId),
    et: 'PAYMENT',
    channel,
    channelTxnId,
    outTradeNo,
  } as const
  const heard = row && { [`${row.cause}/${row.id}`]: { ...row, amount: toMinorUnits(row.amount) } }
  return [
    put(
      {
        ...payment,
        role: 'AWAITED',
        paid: NOTHING,
        refunded: NOTHING,
        reserved: NOTHING,
        currency,
        ...amountsOf(balanceOf(0, [], tellings), tellings),
        amountUnknown: amountUnknown || undefined,
        heard,
        paidAt: context.now,
        settlement: 'PENDING',
      },
      rowIsNew,
    ),
    put({ ...guard, orderNo, collection: pk }, rowIsNew),
    lookLater(awaited, context),
  ]
}

function amountsOf(balance: Balance, tellings: Tellings) {
  const { told, foreign, allBack, free } = figures(balance, tellings)
  return { told, foreign, allBack, free }
}

/** The ticket that is to come unless the payment does. */
function lookLater({ location, channel, channelTxnId, news, evidence }: Awaited, context: TaskContext): Write {
  const { pk, orderNo } = location
  const kind = news.cause === 'DISPUTE' ? 'dispute' : 'undone'
  const bizNo = factNo({ kind, channel, id: channelTxnId }, 1)
  const requestSnapshot = { channelTxnId, form: news.form, state: news.state, money: news.money, evidence }
  const task = { pk, bizType: 'REVIEW', bizNo, orderNo, channel, source: 'CALLBACK', requestSnapshot } as const
  return putTask({ ...task, at: plusMs(context.now, AWAIT_MS) }, context)
}

/** Ends the looks for this one payment, which has come; those for other payments of the file go on. */
export function endLooks(
  tasks: readonly TaskRow[],
  { channel, channelTxnId }: Pick<PaymentRow, 'channel' | 'channelTxnId'>,
): readonly Write[] {
  return tasks
    .filter(({ bizType, status }) => bizType === 'REVIEW' && status === 'WAITING')
    .filter(({ bizNo }) => {
      const about = parseReviewNo(bizNo)
      return about?.channel === channel && about.channelTxnId === channelTxnId
    })
    .map((task) => endTask(task, 'CLOSED', 'PAYMENT_ARRIVED'))
}
