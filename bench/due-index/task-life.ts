import { bizNoOf } from '../../modules/core/biz-no.ts'
import { type ChannelId, parseChannelId, parseOrderNo, parseOutTradeNo } from '../../modules/core/ids.ts'
import { type Instant, plusMs } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { putQueryPayment } from '../../modules/ledger/order/watch-order.ts'
import { readTask } from '../../modules/ledger/read/list-tasks.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { orderPk } from '../../modules/ledger/table/keys.ts'
import type { Write } from '../../modules/ledger/table/make-write.ts'
import { readRow, type TaskRow } from '../../modules/ledger/table/rows.ts'
import { claimWrites, planClaim } from '../../modules/ledger/task/claim-task.ts'
import { finishWrites } from '../../modules/ledger/task/finish-attempt.ts'
import { SWEEP_GRACE_MS } from '../../modules/ledger/task/put-task.ts'
import { must } from '../must.ts'

const CHANNEL: ChannelId = must(parseChannelId('bench'))
const LEASE_MS = 120_000

/** A waiting task as its put leaves it, without the put: for loading. @param at when it is due */
export function waitingTask(name: string, at: Instant, now: Instant): TaskRow {
  const put = putOf(name, now)
  const row = readRow({
    v: 1,
    rev: 1,
    updatedAt: now,
    ...(put.op === 'put' && put.item),
    nextExecuteAt: at,
    wake: at,
    dueAt: plusMs(at, SWEEP_GRACE_MS),
  })
  if (row.et !== 'TASK') throw new TypeError('A task became something else.')
  return row
}

/** A task from its put over a look and a claim to its success, by the ledger's own writes: three transactions and a read. */
export async function liveTask(ledger: Ledger, name: string, now: Instant): Promise<void> {
  const { pk, taskNo } = waitingTask(name, now, now)
  await mustCommit(ledger, [putOf(name, now)], now)
  const dueMs = 10_000
  const later = plusMs(now, dueMs)
  const task = must(await readTask(ledger, pk, taskNo))
  const claim = planClaim(task, 'bench', LEASE_MS, later)
  const attempt = { target: CHANNEL, idempotencyKey: task.idempotencyKey }
  await mustCommit(ledger, claimWrites({ task: task, effectOn: undefined }, claim, attempt, later), later)
  const result = { outcome: { kind: 'done' }, decision: { kind: 'succeed' } } as const
  await mustCommit(ledger, finishWrites(task, claim, result, { policies: bindPolicies({}), now: later }), later)
}

function putOf(name: string, now: Instant): Write {
  const orderNo = must(parseOrderNo(name))
  const outTradeNo = must(parseOutTradeNo(name))
  const bizNo = bizNoOf('QUERY_PAYMENT', { channel: CHANNEL, outTradeNo })
  const task = { pk: orderPk(orderNo), orderNo, channel: CHANNEL, bizNo, source: 'POLICY' } as const
  return putQueryPayment(task, { policies: bindPolicies({}), now })
}

async function mustCommit(ledger: Ledger, writes: readonly Write[], now: Instant): Promise<void> {
  const { kind } = await commit(ledger, writes, now)
  if (kind !== 'done') throw new Error(`A transaction of a benchmark ended as '${kind}'.`)
}
