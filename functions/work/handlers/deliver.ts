import { plusMs } from '../../../modules/core/instant.ts'
import type { WriteContext } from '../../../modules/ledger/context.ts'
import { deliverLineWrites } from '../../../modules/ledger/order/deliver-line.ts'
import { readRows } from '../../../modules/ledger/read/queries.ts'
import { readFreeCodes } from '../../../modules/ledger/stock/read-stock.ts'
import type { Ledger } from '../../../modules/ledger/table/client.ts'
import type { Condition } from '../../../modules/ledger/table/conditions.ts'
import { attemptSk, lineSk } from '../../../modules/ledger/table/keys.ts'
import type { LineRow, Row, TaskRow } from '../../../modules/ledger/table/rows.ts'
import { bindPickedCodes, checkCodes } from '../delivering/deliver-codes.ts'
import { type SendDelivery, sendBy, targetOf } from '../delivering/deliver-webhook.ts'
import { lineIn, lineNoOf, MAX_ATTEMPTS_READ, mayHaveArrived, wayOf } from '../delivering/delivery-way.ts'
import type { Effect, Look, TaskHandler, TaskView } from '../task-handler.ts'

/** A frozen order is looked at again after this; its ticket is what unfreezes it. */
const FROZEN_LOOK_MS = 30 * 60 * 1000
/** Codes read beside those needed, to choose from: two deliveries of the last codes of a sku seldom want the same. */
const SPARE_CODES = 20

/** What the merchant is told when the last line is delivered. */
type Rules = Pick<WriteContext, 'policies' | 'notices'>

/**
 * DELIVER hands over one line of a paid order, by the ways of delivery of its sku in their order, under one id over all ways and
 * tries. The next way is taken only when one refused for good and no earlier attempt may have arrived; otherwise a person decides.
 * @param url the usual webhook
 * @param rules what the merchant is told when the last line is delivered
 * @param webhooks addresses of the others by name
 * Source: docs/design/flows.md, Delivery
 */
export function deliverHandler(
  url: string,
  send: SendDelivery,
  rules: Rules,
  webhooks: Readonly<Record<string, string>> = {},
): TaskHandler {
  const addresses = { url, webhooks }
  return {
    load: loadLine,
    look: (view) => lookAtDelivery(view, targetOf(wayOf(view).way, addresses)),
    call: async (view) => {
      const { way, next } = wayOf(view)
      const mayGoOn = next !== undefined && !mayHaveArrived(view)
      const execution =
        way === 'card-code' ? checkCodes(view, mayGoOn) : { outcome: await sendBy(way, addresses, send, view) }
      return mayGoOn && execution.outcome.kind === 'rejected' ? { ...execution, interfaceIndex: next } : execution
    },
    gates: (view) => (wayOf(view).way === 'card-code' ? [] : [view.task.lane]),
    isLedgerWork: (view) => wayOf(view).way === 'card-code',
    commit: (view, ours) => commitDelivery(view, ours, rules),
  }
}

async function loadLine(ledger: Ledger, task: TaskRow): Promise<readonly Row[]> {
  const [line] = await readRows(ledger, [{ pk: task.pk, sk: lineSk(lineNoOf(task)) }])
  if (line?.et !== 'LINE') return []
  const { way, next } = wayOf({ task, rows: [line] })
  const attempts = next === undefined ? [] : await readAttempts(ledger, task)
  const codes = way === 'card-code' ? await readFreeCodes(ledger, line.sku, line.qty + SPARE_CODES) : []
  return [line, ...attempts, ...codes]
}

async function readAttempts(ledger: Ledger, { pk, taskNo, attempts }: TaskRow): Promise<readonly Row[]> {
  const keys = Array.from({ length: attempts }, (_, index) => ({ pk, sk: attemptSk(taskNo, index + 1) }))
  return (await readRows(ledger, keys.slice(-MAX_ATTEMPTS_READ))).filter((row) => row !== undefined)
}

function commitDelivery(view: TaskView, ours: Condition, rules: Rules): Effect {
  const { task, order, rows, now } = view
  if (order === undefined) return { writes: [], releasesOrder: false }
  const line = lineIn(rows)
  const { way } = wayOf(view)
  const cause = {
    operatorType: 'POLICY',
    operator: 'DELIVER',
    reason: 'DELIVERED',
    evidence: attemptSk(task.taskNo, task.attempts),
  } as const
  const delivered = line === undefined ? undefined : { by: way, line }
  return {
    writes: [
      ...deliverLineWrites({ order, line: lineNoOf(task), how: delivered }, cause, ours, { ...rules, now }),
      ...(way === 'card-code' && line !== undefined ? bindPickedCodes(view, order, line) : []),
    ],
    releasesOrder: true,
  }
}

function lookAtDelivery({ task, order, rows, now }: TaskView, target: string): Look {
  if (order === undefined) {
    return {
      kind: 'escalate',
      reason: 'ORDER_NOT_FOUND',
      message: 'The order of a delivery is gone. Look for its row.',
    }
  }
  if (order.frozen !== undefined) return { kind: 'park', until: plusMs(now, FROZEN_LOOK_MS), reason: 'ORDER_FROZEN' }
  switch (order.status) {
    case 'PAID':
      return lookAtLine(lineIn(rows)) ?? { kind: 'go', target, idempotencyKey: task.idempotencyKey }
    case 'DELIVERED':
    case 'COMPLETED':
      return { kind: 'moot', status: 'SUCCESS', reason: 'ORDER_DELIVERED' }
    case 'REFUNDING':
    case 'REFUNDED':
    case 'CLOSED':
      return { kind: 'moot', status: 'CLOSED', reason: `ORDER_${order.status}` }
    case 'WAIT_PAY':
    case 'PAYING':
    case 'PAY_FAILED':
      return { kind: 'escalate', reason: 'ORDER_NOT_PAID', message: 'A delivery waits for an order that is not paid.' }
  }
}

/** Goods that were taken back are not handed over, and codes are bound once. */
function lookAtLine(line: LineRow | undefined): Look | undefined {
  if (line?.state === 'RESTOCKED') return { kind: 'moot', status: 'CLOSED', reason: 'LINE_RESTOCKED' }
  if (line?.deliveredBy === 'card-code') return { kind: 'moot', status: 'SUCCESS', reason: 'LINE_DELIVERED' }
  return undefined
}
