import { bizNoOf } from '../../core/biz-no.ts'
import type { OwnStep, UndoDecision, UndoNews, UndoTicket } from '../../core/decide-undo.ts'
import type { ChannelId, OrderNo } from '../../core/ids.ts'
import { toMinorUnits } from '../../core/money.ts'
import type { TaskContext } from '../context.ts'
import { type Cause, freezeOrder } from '../order/change-order.ts'
import type { OrderFile } from '../read/queries.ts'
import { moveRefund } from '../refund/move-refund.ts'
import { putRefund } from '../refund/put-refund.ts'
import { toldMovementWrites } from '../refund/told-movement-writes.ts'
import { revIs } from '../table/conditions.ts'
import { taskSk } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import { taskNoOf } from '../table/names.ts'
import type { PaymentRow, RefundRow } from '../table/rows.ts'
import { check, update } from '../table/writes.ts'
import { endTask } from '../task/end-task.ts'
import { wakeTask } from '../task/plan-task.ts'
import { putTask } from '../task/put-task.ts'
import { raiseTicket } from '../ticket/raise-ticket.ts'
import { figures } from './payment-figures.ts'

/** News of undone money, the payment that it is about, and the file that the payment stands in. */
export interface Undone {
  readonly file: OrderFile
  readonly payment: PaymentRow
  readonly news: UndoNews
  readonly cause: Cause
}

type Recorded = Extract<UndoDecision, { kind: 'record' }>

export interface UndoWrites {
  readonly writes: readonly Write[]
  /** How many tickets are new: for the metric. */
  readonly opened: number
}

/** Everything that one piece of news changes, as one transaction: payment, movement, our own refunds, freeze and tickets. */
export function undoWrites(undone: Undone, decision: Recorded, context: TaskContext): UndoWrites {
  const { payment, file, news } = undone
  const raised = decision.tickets.map((ticket) =>
    raiseTicket(file.tasks, { ...factOf(undone, ticket), gone: decision.balance.gone }, context),
  )
  const [first] = raised
  const freezing =
    decision.freeze && first !== undefined && file.order !== undefined
      ? freezeOrder(file.order, first.taskNo, { cause: undone.cause, now: context.now })
      : []
  return {
    writes: [
      update(
        payment,
        {
          set: {
            ...figures(decision.balance, decision.tellings),
            ...alsoHeard(payment, decision),
            amountUnknown: decision.amountUnknown || undefined,
          },
        },
        revIs(payment.rev),
      ),
      ...(decision.row === undefined || payment.role === 'AWAITED'
        ? []
        : toldMovementWrites(
            payment,
            rowOf(file.refunds, payment, decision.row),
            { ...decision.row, answerBy: news.dueAt },
            context.now,
          )),
      ...decision.own.flatMap((step) => ownStepWrites(undone, step, context)),
      ...(freezing.length > 0 ? freezing : seen(file)),
      ...raised.flatMap(({ writes }) => writes),
    ],
    opened: raised.filter(({ isNew }) => isNew).length,
  }
}

/** The decision rests on the order's state: it must still be the one that was seen. */
function seen({ order }: OrderFile): readonly Write[] {
  return order === undefined ? [] : [check(order, revIs(order.rev))]
}

const REASONS = { undone: 'MONEY_UNDONE', dispute: 'DISPUTE', overdraft: 'OVERDRAFT' } as const satisfies {
  readonly [Ticket in UndoTicket]: string
}

/** A ticket about news of one payment. */
export function factOf({ file, payment, news, cause }: Undone, kind: UndoTicket) {
  const { pk, orderNo, channel, channelTxnId } = payment
  return {
    pk,
    orderNo: orderNo ?? file.order?.orderNo,
    kind,
    channel,
    id: channelTxnId,
    reason: REASONS[kind],
    evidence: cause.evidence,
    details: { channelTxnId, form: news.form, state: news.state, money: news.money, dueAt: news.dueAt },
  }
}

function rowOf(
  refunds: readonly RefundRow[],
  payment: PaymentRow,
  row: NonNullable<Recorded['row']>,
): RefundRow | undefined {
  return refunds.find(
    ({ cause, channelRefundId, channel, channelTxnId }) =>
      cause === row.cause &&
      channelRefundId === row.id &&
      channel === payment.channel &&
      channelTxnId === payment.channelTxnId,
  )
}

/** Movements of a payment that has not come yet stand in its own row. */
function alsoHeard(
  { role, heard = {} }: PaymentRow,
  { row }: Recorded,
): Pick<PaymentRow, 'heard'> | Record<string, never> {
  if (role !== 'AWAITED' || row === undefined) return {}
  return { heard: { ...heard, [`${row.cause}/${row.id}`]: { ...row, amount: toMinorUnits(row.amount) } } }
}

function ownStepWrites(undone: Undone, step: OwnStep, context: TaskContext): readonly Write[] {
  const { file, payment, cause } = undone
  const refund = file.refunds.find(({ refundNo }) => refundNo === step.refundNo)
  if (refund === undefined) return []
  const taskNo = taskNoOf('REFUND', bizNoOf('REFUND', { refundNo: refund.refundNo }))
  const task = file.tasks.find(({ sk }) => sk === taskSk(taskNo))
  if (step.do === 'wake') {
    const waits = task?.status === 'WAITING' || task?.status === 'RETRY'
    return task !== undefined && waits ? wakeTask(task, cause.evidence, context.now).writes : []
  }
  const { pk, orderNo, channel, channelTxnId, currency } = payment
  const rest = { amount: toMinorUnits(step.rest), currency }
  const next = {
    pk,
    orderNo,
    cause: step.cause,
    channel,
    channelTxnId,
    money: rest,
    key: nextKey(file.refunds, refund),
  }
  return [
    moveRefund(refund, 'cancel'),
    ...(task === undefined
      ? []
      : [endTask(task, 'CLOSED', 'COVERED_BY_NEWS'), ...resume(task, orderNo, channel, context)]),
    ...(step.rest > 0 ? putRefund(next, context).writes : []),
  ]
}

/** The workflow that waits for the refund is woken: it reads the rows and ends. */
function resume(
  { pk, taskNo, rev }: OrderFile['tasks'][number],
  orderNo: OrderNo | undefined,
  channel: ChannelId,
  context: TaskContext,
): readonly Write[] {
  const bizNo = bizNoOf('RESUME_EXECUTION', { taskNo, turn: String(rev + 1) })
  return [
    putTask({ pk, bizType: 'RESUME_EXECUTION', bizNo, orderNo, channel, source: 'POLICY', at: context.now }, context),
  ]
}

function nextKey(refunds: readonly RefundRow[], { cause, channel, channelTxnId }: RefundRow): string {
  const same = refunds.filter(
    (one) => one.cause === cause && one.channel === channel && one.channelTxnId === channelTxnId,
  )
  return String(same.length + 1)
}
