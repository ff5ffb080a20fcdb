import { isOpen } from '../../../modules/core/pay-attempt.ts'
import { isEnded } from '../../../modules/core/task.ts'
import type { JournalRow, OrderRow, PaymentRow, RefundRow, Row, TaskRow } from '../../../modules/ledger/table/rows.ts'

/** A payment as its channel knows it. */
export interface ChannelPayment {
  readonly channel: string
  readonly channelTxnId: string
  readonly outTradeNo: string
  readonly amount: number
  readonly currency: string
  /** Whether Backstop can know of it: the channel can be asked, or a notice was acknowledged. Else the bill finds it. */
  readonly told: boolean
}

/** One delivery that the merchant took, by its id. */
export interface TakenDelivery {
  readonly deliveryNo: string
  readonly orderNo: string
}

/**
 * The money invariants over everything that the ledger, the channels and the merchant know.
 * @returns one sentence per breach; none when all hold
 */
export function moneyFaults(
  rows: readonly Row[],
  channelPayments: readonly ChannelPayment[],
  deliveries: readonly TakenDelivery[],
  heldTypes: ReadonlySet<string>,
): readonly string[] {
  const of = <Type extends Row['et']>(type: Type) =>
    rows.filter((row): row is Extract<Row, { et: Type }> => row.et === type)
  const orders = of('ORDER')
  const payments = of('PAYMENT')
  const tasks = of('TASK')
  return [
    ...everyPaymentOnce(payments, channelPayments),
    ...orders.flatMap((order) => oneAppliedPayment(order, payments)),
    ...payments.flatMap((payment) => moneyOutWithinPaid(payment, of('REFUND'))),
    ...orders.flatMap((order) => journalLeadsTo(order, of('JOURNAL'))),
    ...deliveriesWerePaid(orders, deliveries),
    ...orders.flatMap((order) => orderEndsOrWaits(order, tasks, heldTypes)),
    ...tasks.flatMap(taskIsWatched),
    ...of('PAYATTEMPT').flatMap((attempt) =>
      isOpen(attempt.state) && orders.some((order) => order.pk === attempt.pk && order.status === 'WAIT_PAY')
        ? [`Order of payAttempt ${attempt.outTradeNo} is WAIT_PAY with an open payAttempt.`]
        : [],
    ),
  ]
}

function everyPaymentOnce(payments: readonly PaymentRow[], known: readonly ChannelPayment[]): readonly string[] {
  const keyOf = (payment: { readonly channel: string; readonly channelTxnId: string }): string =>
    `${payment.channel} ${payment.channelTxnId}`
  const booked = Map.groupBy(payments, keyOf)
  const paid = new Map(known.map((payment) => [keyOf(payment), payment]))
  const missing = known.flatMap((payment) => {
    const rows = booked.get(keyOf(payment)) ?? []
    if (rows.length > 1) return [`Payment ${keyOf(payment)} stands ${rows.length} times in the ledger.`]
    const [row] = rows
    if (row === undefined) return payment.told ? [`Payment ${keyOf(payment)} is not in the ledger.`] : []
    return row.paid === payment.amount && row.currency === payment.currency
      ? []
      : [
          `Payment ${keyOf(payment)} is ${payment.amount} ${payment.currency} at its channel, ${row.paid} ${row.currency} here.`,
        ]
  })
  const invented = payments.flatMap((row) =>
    paid.has(keyOf(row)) ? [] : [`Payment ${keyOf(row)} is unknown to its channel.`],
  )
  return [...missing, ...invented]
}

const PAID_STATUSES: ReadonlySet<string> = new Set(['PAID', 'DELIVERED', 'COMPLETED', 'REFUNDING', 'REFUNDED'])

function oneAppliedPayment(order: OrderRow, payments: readonly PaymentRow[]): readonly string[] {
  const applied = payments.filter((payment) => payment.pk === order.pk && payment.role === 'APPLIED').length
  const wanted = PAID_STATUSES.has(order.status) ? 1 : 0
  return applied === wanted ? [] : [`Order ${order.orderNo} is ${order.status} with ${applied} applied payments.`]
}

function moneyOutWithinPaid(payment: PaymentRow, refunds: readonly RefundRow[]): readonly string[] {
  const name = `Payment ${payment.channel} ${payment.channelTxnId}`
  const own = refunds.filter((refund) => refund.pk === payment.pk && refund.channelTxnId === payment.channelTxnId)
  const promised = own.reduce((sum, refund) => sum + (refund.state === 'REFUSED' ? 0 : refund.amount), 0)
  return [
    ...(payment.reserved + payment.refunded > payment.paid ? [`${name} has more money going out than came in.`] : []),
    ...(promised === payment.reserved + payment.refunded
      ? []
      : [`${name} reserves another sum than its refunds name.`]),
    ...((payment.role === 'LATE' || payment.role === 'SURPLUS') && own.length !== 1
      ? [`${name} is ${payment.role} with ${own.length} refunds.`]
      : []),
  ]
}

function journalLeadsTo(order: OrderRow, journal: readonly JournalRow[]): readonly string[] {
  const own = journal.filter((entry) => entry.pk === order.pk).toSorted((a, b) => a.orderRev - b.orderRev)
  const broken = own.find((entry, index) => entry.from !== (own[index - 1]?.to ?? ''))
  if (broken !== undefined) return [`Journal of ${order.orderNo} has a gap at revision ${broken.orderRev}.`]
  return own.at(-1)?.to === order.status ? [] : [`Journal of ${order.orderNo} does not lead to ${order.status}.`]
}

function deliveriesWerePaid(orders: readonly OrderRow[], deliveries: readonly TakenDelivery[]): readonly string[] {
  const paid = new Set(
    orders.filter((order) => PAID_STATUSES.has(order.status)).map(({ orderNo }) => orderNo as string),
  )
  const byOrder = Map.groupBy(deliveries, ({ orderNo }) => orderNo)
  return [...byOrder].flatMap(([orderNo, taken]) => {
    const lines = orders.find((order) => order.orderNo === orderNo)?.lines ?? 0
    return [
      ...(paid.has(orderNo) ? [] : [`Order ${orderNo} was delivered and is not paid.`]),
      ...(new Set(taken.map(({ deliveryNo }) => deliveryNo)).size > lines
        ? [`Order ${orderNo} was delivered twice.`]
        : []),
    ]
  })
}

/** A closed order's payAttempts are asked for a day; that is no unfinished business of the order. */
function isLateWatch(order: OrderRow, task: TaskRow): boolean {
  return order.status === 'CLOSED' && task.bizType === 'QUERY_PAYMENT'
}

const ENDED: ReadonlySet<string> = new Set(['DELIVERED', 'COMPLETED', 'CLOSED', 'REFUNDED'])

function orderEndsOrWaits(
  order: OrderRow,
  tasks: readonly TaskRow[],
  heldTypes: ReadonlySet<string>,
): readonly string[] {
  const own = tasks.filter((task) => task.pk === order.pk)
  const running = own.filter(
    (task) =>
      !isEnded(task.status) && task.status !== 'MANUAL' && !heldTypes.has(task.bizType) && !isLateWatch(order, task),
  )
  const forPerson = own.some((task) => task.status === 'MANUAL')
  if (running.length > 0 && !forPerson) {
    return [
      `Order ${order.orderNo} still has ${running.map((task) => `${task.bizType} in ${task.status}`).join(', ')}.`,
    ]
  }
  return ENDED.has(order.status) || forPerson ? [] : [`Order ${order.orderNo} is ${order.status} and nobody is asked.`]
}

function taskIsWatched(task: TaskRow): readonly string[] {
  return isEnded(task.status) === (task.dueAt === undefined)
    ? []
    : [
        `Task ${task.bizType} ${task.bizNo} in ${task.status} ${task.dueAt === undefined ? 'has no' : 'still has a'} due time.`,
      ]
}
