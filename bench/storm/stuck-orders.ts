import { bizNoOf } from '../../modules/core/biz-no.ts'
import type { ChannelId } from '../../modules/core/ids.ts'
import { parseOrderNo, parseOutTradeNo, parseSku } from '../../modules/core/ids.ts'
import { type Instant, plusMs } from '../../modules/core/instant.ts'
import { parseCurrency, parseMinorUnits } from '../../modules/core/money.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { newOrder } from '../../modules/ledger/order/create-order.ts'
import { PAYING_LOOK_MS, putQueryPayment } from '../../modules/ledger/order/watch-order.ts'
import { newPayAttempt } from '../../modules/ledger/pay-attempt/start-pay-attempt.ts'
import { duePkOf, outTradeNoGuard } from '../../modules/ledger/table/keys.ts'
import { readRow, type TaskRow } from '../../modules/ledger/table/rows.ts'
import { SWEEP_GRACE_MS } from '../../modules/ledger/task/put-task.ts'
import { must } from '../must.ts'

const AMOUNT = must(parseMinorUnits(8800))
const CURRENCY = must(parseCurrency('CNY'))
const SKU = must(parseSku('GAME-CARD-50'))
const CLOSE_AFTER_MS = 60 * 60_000

export interface StuckOrder {
  readonly task: TaskRow
  readonly rows: readonly Record<string, unknown>[]
}

/**
 * The rows of an order that waits for its payment, with the task that asks the channel about it: made by the ledger's own makers,
 * but loaded past its transactions.
 * @param asked how often the channel was asked before: with none the task is live traffic, else it is backlog
 * @param at when the task is due
 */
export function stuckOrder(
  { orderNo: text, channel, asked, at }: { orderNo: string; channel: ChannelId; asked: 0 | 1; at: Instant },
  now: Instant,
): StuckOrder {
  const orderNo = must(parseOrderNo(text))
  const content = {
    orderNo,
    amount: AMOUNT,
    currency: CURRENCY,
    lines: [{ sku: SKU, qty: 1 }],
    closeAt: plusMs(now, CLOSE_AFTER_MS),
    contentHash: 'bench',
  }
  const { order, lines } = newOrder(content, now)
  const outTradeNo = must(parseOutTradeNo(text))
  const attempt = newPayAttempt(order, { channel, outTradeNo, expiresAt: order.closeAt }, now)
  const written = { v: 1, rev: 1, updatedAt: now }
  const guard = {
    ...written,
    ...outTradeNoGuard(channel, outTradeNo),
    et: 'GUARD',
    orderNo,
    collection: order.pk,
  }
  const paying = {
    ...order,
    rev: 2,
    status: 'PAYING',
    duePk: duePkOf(order.pk),
    dueAt: plusMs(now, PAYING_LOOK_MS),
  }
  const bizNo = bizNoOf('QUERY_PAYMENT', { channel, outTradeNo })
  const question = { pk: order.pk, orderNo, channel, bizNo, source: 'POLICY' } as const
  const put = putQueryPayment(question, { policies: bindPolicies({}), now })
  const task = readRow({
    ...written,
    ...(put.op === 'put' && put.item),
    ...(asked > 0 && { status: 'RETRY', attempts: asked, retryCount: asked, fence: asked }),
    nextExecuteAt: at,
    wake: at,
    dueAt: plusMs(at, SWEEP_GRACE_MS),
  })
  if (task.et !== 'TASK') throw new TypeError('A task became something else.')
  return { task, rows: [paying, ...lines, attempt, guard, task] }
}
