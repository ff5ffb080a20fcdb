import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { type OrderNo, parseOrderNo, parseOutTradeNo, parseSku } from '../../modules/core/ids.ts'
import { type Instant, plusMs } from '../../modules/core/instant.ts'
import type { TaskType } from '../../modules/core/task-policies.ts'
import { createOrderWrites, newOrder } from '../../modules/ledger/order/create-order.ts'
import { newPayAttempt, startPayAttemptWrites } from '../../modules/ledger/pay-attempt/start-pay-attempt.ts'
import { type OrderFile, readCollection, readOrderFile } from '../../modules/ledger/read/queries.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { orderKey } from '../../modules/ledger/table/keys.ts'
import type { OrderRow, TaskRow } from '../../modules/ledger/table/rows.ts'
import { toUpdateInput } from '../../modules/ledger/table/to-transact-item.ts'
import { money, sure } from './core-builders.ts'
import { rawUpdate } from './raw-writes.ts'
import type { World } from './world.ts'
import { BANK } from './world-bank.ts'

let orders = 0
const run = Math.random().toString(36).slice(2, 8)

/** An order number that no other test of the run has. */
export const freshOrderNo = (): OrderNo => sure(parseOrderNo(`ORD-${run}-${++orders}`))

let transactions = 0
/** A channel's transaction number that no other test has. */
export const freshTxn = (): string => `txn-${run}-${++transactions}`

export interface OrderChange {
  readonly orderNo?: OrderNo
  readonly amount?: number
  readonly lines?: number
  readonly closeAfterMs?: number
}

/** An order as `PUT /orders` writes it: 88.00 CNY, one line, closing after 15 minutes. */
export async function putOrder(world: World, change: OrderChange = {}): Promise<OrderNo> {
  const { orderNo = freshOrderNo(), amount = 8800, lines = 1, closeAfterMs = 15 * 60_000 } = change
  const now = world.clock.now()
  const content = {
    orderNo,
    ...money(amount),
    lines: Array.from({ length: lines }, (_, index) => ({ sku: sure(parseSku(`SKU-${index + 1}`)), qty: 1 })),
    closeAt: plusMs(now, closeAfterMs),
    contentHash: 'hash',
  }
  const before = await readOrderFile(world.ledger, orderNo)
  const writes = createOrderWrites(newOrder(content, now), before, 'merchant', { policies: world.policies, now })
  await mustCommit(world, writes)
  return orderNo
}

/** A payAttempt as the merchant announces it; its number is the order's unless given. */
export async function startAttempt(
  world: World,
  orderNo: OrderNo,
  { outTradeNo = orderNo as string, expiresAt = plusMs(world.clock.now(), 10 * 60_000) as Instant } = {},
): Promise<void> {
  const order = await orderOf(world, orderNo)
  const attempt = newPayAttempt(
    order,
    { channel: BANK, outTradeNo: sure(parseOutTradeNo(outTradeNo)), expiresAt },
    world.clock.now(),
  )
  await mustCommit(
    world,
    startPayAttemptWrites(order, attempt, 'merchant', { policies: world.policies, now: world.clock.now() }),
  )
}

async function mustCommit({ ledger, clock }: World, writes: Parameters<typeof commit>[1]): Promise<void> {
  const result = await commit(ledger, writes, clock.now())
  if (result.kind !== 'done') throw new Error(`A test could not arrange its rows: ${JSON.stringify(result)}`)
}

/** An order in PAYING with one open payAttempt. */
export async function putPayingOrder(world: World, change: OrderChange = {}): Promise<OrderNo> {
  const orderNo = await putOrder(world, change)
  await startAttempt(world, orderNo)
  return orderNo
}

/** The `data` of a payment that is right for an order of the builders. */
export const paid = (orderNo: string | undefined, change: Readonly<Record<string, unknown>> = {}) => ({
  ...(orderNo !== undefined && { order_no: orderNo }),
  txn: freshTxn(),
  amount: 8800,
  currency: 'CNY',
  paid_at: '2026-03-01T07:59:58Z',
  ...change,
})

/** Brings an order into a state that no transaction of this release writes yet. */
export async function forceOrder(
  { ledger, clock }: World,
  orderNo: OrderNo,
  set: Partial<OrderRow>,
  remove: readonly string[] = [],
): Promise<void> {
  await forceRow(ledger, orderKey(orderNo), set, clock.now(), remove)
}

export async function forceRow(
  ledger: Ledger,
  key: { readonly pk: string; readonly sk: string },
  set: Readonly<Record<string, unknown>>,
  now: Instant,
  remove: readonly string[] = [],
): Promise<void> {
  await ledger.client.send(new UpdateCommand(toUpdateInput(ledger.table, rawUpdate(key, { set, remove }), now)))
}

/** Writes a row as it is, also one that no schema allows. */
export async function putRaw(ledger: Ledger, item: Record<string, unknown>): Promise<void> {
  await ledger.client.send(new PutCommand({ TableName: ledger.table, Item: item }))
}

export const fileOf = ({ ledger }: World, orderNo: OrderNo): Promise<OrderFile> => readOrderFile(ledger, orderNo)
export const collectionOf = ({ ledger }: World, pk: string): Promise<OrderFile> => readCollection(ledger, pk)

export async function orderOf(world: World, orderNo: OrderNo): Promise<OrderRow> {
  return sure((await fileOf(world, orderNo)).order)
}

export function tasksOf(file: OrderFile, bizType: TaskType): readonly TaskRow[] {
  return file.tasks.filter((task) => task.bizType === bizType)
}

/** The only task of a type. */
export function taskOf(file: OrderFile, bizType: TaskType): TaskRow {
  const found = tasksOf(file, bizType)
  if (found.length !== 1) throw new Error(`${found.length} tasks of type ${bizType} instead of one`)
  return sure(found[0])
}

export const verdictsOf = (file: OrderFile): readonly string[] => file.callbacks.map(({ verdict }) => verdict)

export const movesOf = (file: OrderFile): readonly string[] => file.journal.map(({ from, to }) => `${from}>${to}`)

/** What an order came to: its status and the roles of its payments, 'DELIVERED APPLIED+SURPLUS'. */
export const endOf = ({ order, payments }: OrderFile): string =>
  [
    String(order?.status),
    payments
      .map(({ role }) => role)
      .sort()
      .join('+'),
  ]
    .filter((part) => part !== '')
    .join(' ')
