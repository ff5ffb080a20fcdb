import { isOpen } from '../../modules/core/pay-attempt.ts'
import { isEnded } from '../../modules/core/task.ts'
import { balanceOfRow } from '../../modules/ledger/payment/payment-figures.ts'
import type { OrderFile } from '../../modules/ledger/read/queries.ts'
import { readRows } from '../../modules/ledger/read/queries.ts'
import { transactionGuard } from '../../modules/ledger/table/keys.ts'
import { aTxn } from './core-builders.ts'
import { red } from './known-red.ts'
import { collectionOf } from './ledger-builders.ts'
import type { World } from './world.ts'
import { BANK } from './world-bank.ts'

const PAID_STATUSES = new Set(['PAID', 'DELIVERED', 'COMPLETED', 'REFUNDING', 'REFUNDED'])
const ASKING: ReadonlySet<string> = new Set(['QUERY_PAYMENT', 'CLOSE_ORDER', 'CLOSE_ATTEMPT'])
const OPEN_VERDICTS = new Set(['received', 'parked'])

/** What must hold of the item collections of one story whatever crashed in it; each broken rule is one line. */
export async function brokenInvariants(
  world: World,
  pks: readonly string[],
  channelPayments: readonly string[],
): Promise<readonly string[]> {
  const files = await Promise.all(pks.map((pk) => collectionOf(world, pk)))
  return [
    ...(await brokenPayments(world, files, channelPayments)),
    ...files.flatMap((file) => [
      ...brokenOrder(file),
      ...brokenTries(file),
      ...brokenClosedOrder(file),
      ...brokenBalances(file),
      ...brokenTasks(file),
      ...brokenJournal(file),
      ...brokenDeliveries(world, file),
      ...brokenCallbacks(file),
    ]),
  ]
}

/**
 * Every payment of the channel is in the ledger exactly once, under its own number, where its guard says; or its kept callback is
 * a ticket, because the ledger did not answer until the task's time was used up.
 */
async function brokenPayments(
  world: World,
  files: readonly OrderFile[],
  channelPayments: readonly string[],
): Promise<readonly string[]> {
  const rows = files.flatMap(({ payments }) => payments)
  const waiting = files
    .flatMap(({ tasks }) => tasks)
    .filter(({ bizType, status }) => bizType === 'SETTLE_CALLBACK' && status === 'MANUAL').length
  const guards = await readRows(
    world.ledger,
    channelPayments.map((txn) => transactionGuard(BANK, aTxn(txn))),
  )
  return [
    ...channelPayments.flatMap((txn, index) => {
      const mine = rows.filter(({ channelTxnId }) => channelTxnId === txn)
      const guard = guards[index]
      if (mine.length === 0 && waiting > 0) return []
      if (mine.length !== 1) return [`payment ${txn} is in the ledger ${mine.length} times`]
      if (guard?.et !== 'GUARD') return [`payment ${txn} has no guard`]
      return guard.collection === mine[0]?.pk ? [] : [`the guard of ${txn} leads elsewhere`]
    }),
    ...rows
      .filter(({ channelTxnId, role }) => role !== 'AWAITED' && !channelPayments.includes(channelTxnId))
      .map(({ channelTxnId }) => `payment ${channelTxnId} was never made`),
  ]
}

function brokenOrder({ order, payments, lines }: OrderFile): readonly string[] {
  if (order === undefined) return []
  const applied = payments.filter(({ role }) => role === 'APPLIED').length
  const wanted = PAID_STATUSES.has(order.status) ? 1 : 0
  const lineState = { CLOSED: 'RELEASED' }[String(order.status)] ?? (wanted === 1 ? 'SOLD' : 'RESERVED')
  return [
    ...(applied === wanted ? [] : [`an order in ${order.status} has ${applied} applied payments`]),
    ...lines.filter(({ state }) => state !== lineState).map(({ state }) => `a line of ${order.status} is ${state}`),
    ...(order.activeTask === undefined ? [] : ['an effect still holds the order']),
  ]
}

/**
 * An order in PAYING can still be paid by a try of its own, unless a person decides first;
 * a try whose money is booked is PAID, whatever became of the money.
 */
export function brokenTries({ order, payAttempts, payments }: OrderFile): readonly string[] {
  const booked = payments.filter(({ role }) => role !== 'ORPHAN' && role !== 'AWAITED')
  return [
    ...(order?.status !== 'PAYING' || order.frozen !== undefined || payAttempts.some(({ state }) => isOpen(state))
      ? []
      : [red('PAYING_WITHOUT_OPEN_TRY', 'an order in PAYING has no open try')]),
    ...payAttempts
      .filter(
        ({ channel, outTradeNo, state }) =>
          state !== 'PAID' && booked.some((row) => row.channel === channel && row.outTradeNo === outTradeNo),
      )
      .map(({ outTradeNo, state }) => red('BOOKED_TRY_NOT_PAID', `${outTradeNo} is ${state}, and its money is booked`)),
  ].flat()
}

/** Nothing that says "there may be money" was passed over when the order closed. */
function brokenClosedOrder({ order, callbacks, tasks }: OrderFile): readonly string[] {
  const closedAt = order?.status === 'CLOSED' ? order.closedAt : undefined
  if (closedAt === undefined) return []
  return [
    ...callbacks
      .filter(({ verdict, receivedAt }) => verdict === 'parked' && receivedAt < closedAt)
      .map(({ eventId }) => red('CLOSED_OVER_PARKED_MONEY', `CLOSED, and the callback ${eventId} is parked`)),
    ...tasks
      .filter(
        ({ bizType, bizNo, status, createdAt }) =>
          bizType === 'QUERY_PAYMENT' && bizNo.split('/').length > 2 && !isEnded(status) && createdAt < closedAt,
      )
      .map(({ bizNo }) => red('CLOSED_OVER_HINTED_MONEY', `CLOSED, and ${bizNo} is hinted and not asked about`)),
  ].flat()
}

/** A payment's figures are the sums of its rows, nothing is promised twice, and late or surplus money is promised whole. */
function brokenBalances({ payments, refunds }: OrderFile): readonly string[] {
  return payments.flatMap((payment) => {
    const { channelTxnId, role, reserved, refunded, amountUnknown } = payment
    const sums = balanceOfRow(payment, refunds)
    const isWhole = amountUnknown === true || sums.free === 0
    return [
      ...(sums.free >= 0 || role === 'AWAITED' ? [] : [`${channelTxnId} gives back more than it brought`]),
      ...(reserved === sums.reserved && refunded === sums.refunded
        ? []
        : [
            `${channelTxnId} reserves ${reserved} and not ${sums.reserved}, refunded ${refunded} and not ${sums.refunded}`,
          ]),
      ...((payment.free ?? sums.free) === sums.free
        ? []
        : [`${channelTxnId} has ${payment.free} free and not ${sums.free}`]),
      ...((role === 'LATE' || role === 'SURPLUS') && !isWhole ? [`${channelTxnId} (${role}) keeps ${sums.free}`] : []),
    ]
  })
}

/** Each task is ended and out of the index, or the sweep will look at it; each attempt of one that is not held is closed. */
function brokenTasks({ tasks, attempts }: OrderFile): readonly string[] {
  const held = new Set(tasks.filter(({ status }) => status === 'PROCESSING').map(({ taskNo }) => taskNo))
  // An attempt that asked is evidence, too, and is written once more with what became of the answer.
  const asks = new Set(tasks.filter(({ bizType }) => ASKING.has(bizType)).map(({ taskNo }) => taskNo))
  return [
    ...tasks.flatMap((task) => {
      const isIndexed = task.dueAt !== undefined && task.duePk !== undefined
      if (isEnded(task.status))
        return isIndexed || task.wake !== undefined ? [`ended ${task.bizType} is still due`] : []
      if (task.status === 'PROCESSING') return [`${task.bizType} is held by nobody`]
      return isIndexed ? [] : [`${task.bizType} in ${task.status} has no dueAt`]
    }),
    ...attempts
      .filter((row) => row.closedAt === undefined && !held.has(row.taskNo))
      .map(() => 'an attempt is left open'),
    ...attempts
      .filter(({ rev, taskNo }) => rev > 2 && !asks.has(taskNo))
      .map(({ no }) => `attempt ${no} was closed more than once`),
  ]
}

/** The journal is one chain from the beginning to the order's present state. */
function brokenJournal({ order, journal }: OrderFile): readonly string[] {
  const rows = journal.toSorted((a, b) => a.orderRev - b.orderRev)
  const breaks = rows.filter((row, index) => row.from !== (index === 0 ? '' : rows[index - 1]?.to))
  return [
    ...breaks.map(({ from, to }) => `the journal jumps to ${from}>${to}`),
    ...(order === undefined || rows.at(-1)?.to === order.status ? [] : [`the journal does not end in ${order.status}`]),
  ]
}

/** One DELIVER per line of a paid order, and one logical delivery per line at the merchant. */
function brokenDeliveries(world: World, { order, lines, tasks }: OrderFile): readonly string[] {
  const deliveries = tasks.filter(({ bizType }) => bizType === 'DELIVER')
  const wanted = order !== undefined && PAID_STATUSES.has(order.status) ? lines.length : 0
  const notices = new Map(tasks.filter(({ bizType }) => bizType === 'NOTIFY').map((row) => [row.idempotencyKey, row]))
  const received = world.merchant.received.filter(({ body }) => order !== undefined && body.includes(order.orderNo))
  const mine = received.filter(({ id }) => !notices.has(id))
  const ids = new Set(mine.map(({ id }) => id))
  const delivered = lines.filter(({ deliveredAt }) => deliveredAt !== undefined)
  return [
    ...(deliveries.length === wanted ? [] : [`${deliveries.length} DELIVER tasks instead of ${wanted}`]),
    ...[...ids]
      .filter((id) => !lines.some(({ deliveryNo }) => deliveryNo === id))
      .map((id) => `${id} is nobody's delivery`),
    ...delivered
      .filter(({ deliveryNo, deliveredBy }) => deliveredBy !== 'card-code' && !ids.has(deliveryNo ?? ''))
      .map(() => 'a line counts as delivered and was not sent'),
    ...[...notices]
      .filter(([id, { status }]) => status === 'SUCCESS' && !received.some((row) => row.id === id))
      .map(([id]) => `the notice ${id} counts as told and was not sent`),
    ...(delivered.length === deliveries.filter(({ status }) => status === 'SUCCESS').length
      ? []
      : ['delivered lines and done deliveries differ']),
  ]
}

/** A callback that decided nothing yet has a task that will. */
function brokenCallbacks({ callbacks, tasks }: OrderFile): readonly string[] {
  const alive = tasks.filter(({ bizType, status }) => bizType === 'SETTLE_CALLBACK' && !isEnded(status))
  return callbacks
    .filter(
      ({ verdict, sk }) =>
        OPEN_VERDICTS.has(verdict) && !alive.some((task) => task.requestSnapshot?.['callback'] === sk),
    )
    .map(({ verdict }) => `a callback stays '${verdict}' with no task`)
}
