import { bizNoOf, parsePayAttemptNo } from '../../../modules/core/biz-no.ts'
import type { PayAttemptRow, PaymentRow, Row, TaskRow } from '../../../modules/ledger/table/rows.ts'
import { requestOf } from '../../../modules/ledger/task/snapshots.ts'
import type { TaskView } from '../task-handler.ts'
import type { AskedPayAttempt } from './channel-desk.ts'

type Seen = Pick<TaskView, 'task' | 'order' | 'rows'>

/** The payAttempt that a task is about: `channel/outTradeNo`, and whatever follows. */
export function attemptOf({ task, rows }: Pick<TaskView, 'task' | 'rows'>): PayAttemptRow | undefined {
  const { channel, outTradeNo } = parsePayAttemptNo(task.bizNo) ?? {}
  return rows.find(
    (row): row is PayAttemptRow => row.et === 'PAYATTEMPT' && row.channel === channel && row.outTradeNo === outTradeNo,
  )
}

/**
 * Whether a question is about one payment that a hint named, `channel/outTradeNo/channelTxnId`, and not about the payAttempt: its
 * own question has ended, or nobody announced it.
 */
export const isAboutPayment = ({ bizNo }: TaskRow): boolean => parsePayAttemptNo(bizNo)?.channelTxnId !== undefined

/** What the channel is asked about; `undefined` when there is neither a payAttempt nor an order to know the money of. */
export function askedBy(view: Seen): AskedPayAttempt | undefined {
  const { task, order } = view
  const attempt = attemptOf(view)
  if (!isAboutPayment(task)) return attempt === undefined ? undefined : withNamed(attempt, [task])
  const channelTxnId = namedIn(task)
  const base = attempt ?? fromOrder(task, order)
  if (base === undefined || channelTxnId === undefined) return undefined
  // By the payment's own number: what the payAttempt's number leads to has been asked.
  const { channelRef: _, ...rest } = base
  return { ...rest, channelTxnId }
}

/** The payment that a question of {@link isAboutPayment} is about, once it stands in the ledger. */
export function bookedPayment({ task, rows }: Seen): PaymentRow | undefined {
  const channelTxnId = namedIn(task)
  return rows.find(
    (row): row is PaymentRow =>
      row.et === 'PAYMENT' && row.channel === task.channel && row.channelTxnId === channelTxnId,
  )
}

/** Adds the payment that a hint named to the payAttempt's own query task, which is all that some can be asked by. */
export function withNamed(attempt: PayAttemptRow, rows: readonly Row[]): AskedPayAttempt {
  const { channel, outTradeNo } = attempt
  const bizNo: string = bizNoOf('QUERY_PAYMENT', { channel, outTradeNo })
  const query = rows.find(
    (row): row is TaskRow => row.et === 'TASK' && row.bizType === 'QUERY_PAYMENT' && row.bizNo === bizNo,
  )
  const channelTxnId = query === undefined ? undefined : namedIn(query)
  return channelTxnId === undefined ? attempt : { ...attempt, channelTxnId }
}

function namedIn(task: TaskRow) {
  return requestOf('QUERY_PAYMENT', task).channelTxnId
}

/** Money under a number that nobody announced: it is asked about as if it were a try over the order's whole money. */
function fromOrder({ bizNo }: TaskRow, order: Seen['order']): AskedPayAttempt | undefined {
  const named = parsePayAttemptNo(bizNo)
  if (order === undefined || named === undefined) return undefined
  const { channel, outTradeNo } = named
  const { pk, amount, currency, closeAt: expiresAt, createdAt } = order
  return { pk, channel, outTradeNo, amount, currency, expiresAt, createdAt }
}
