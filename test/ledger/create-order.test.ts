import { expect, it } from 'vitest'
import { bizNoOf } from '../../modules/core/biz-no.ts'
import { parseSku } from '../../modules/core/ids.ts'
import { plusMs } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { createOrderWrites, newOrder } from '../../modules/ledger/order/create-order.ts'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { rowExists } from '../../modules/ledger/table/conditions.ts'
import { MAX_LINES, MAX_TRANSACTION_ITEMS } from '../../modules/ledger/table/limits.ts'
import { putTask } from '../../modules/ledger/task/put-task.ts'
import { aFreshOrderNo } from '../orders/orders-api.ts'
import { aChannel, anInstant, money, sure } from '../support/core-builders.ts'
import { openTestLedger } from '../support/ledger.ts'
import { rawUpdate } from '../support/raw-writes.ts'

const { ledger } = await openTestLedger()
const NOW = anInstant()

function anOrder(lines: number) {
  const line = { sku: sure(parseSku('CARD')), qty: 1 }
  const content = {
    orderNo: aFreshOrderNo(),
    ...money(),
    lines: Array.from({ length: lines }, () => line),
    closeAt: plusMs(NOW, 900_000),
    contentHash: 'hash',
    attributes: { note: '备注' },
  }
  return newOrder(content, NOW)
}

it('an order’s rows are read back as they were made', async () => {
  const created = anOrder(2)
  const before = await readOrderFile(ledger, created.order.orderNo)

  await commit(ledger, createOrderWrites(created, before, 'shop', { policies: bindPolicies({}), now: NOW }), NOW)

  const file = await readOrderFile(ledger, created.order.orderNo)
  expect(file.order).toEqual(created.order)
  expect(file.lines).toEqual(created.lines)
})

it('a second creation loses to the first and sees it', async () => {
  const created = anOrder(1)
  const before = await readOrderFile(ledger, created.order.orderNo)
  const writes = createOrderWrites(created, before, 'shop', { policies: bindPolicies({}), now: NOW })
  await commit(ledger, writes, NOW)

  const result = await commit(ledger, writes, NOW)

  expect(result).toMatchObject({ kind: 'lost', losses: [{ found: { contentHash: 'hash', rev: 1 } }, {}, {}, {}] })
})

it('a callback that changed since it was read is left to its own time', async () => {
  const created = anOrder(1)
  const { pk, orderNo } = created.order
  const at = plusMs(NOW, 30_000)
  const bizNo = bizNoOf('SETTLE_CALLBACK', { channel: aChannel(), eventId: orderNo })
  const requestSnapshot = { callback: 'CB#x' }
  const task = putTask(
    { pk, bizType: 'SETTLE_CALLBACK', bizNo, source: 'CALLBACK', at, requestSnapshot },
    { policies: bindPolicies({}), now: NOW },
  )
  await commit(ledger, [task], NOW)
  const before = await readOrderFile(ledger, orderNo)
  const key = { pk, sk: sure(before.tasks[0]).sk }
  await commit(ledger, [rawUpdate(key, { set: { retryCount: 1 } }, rowExists)], NOW)

  const result = await commit(
    ledger,
    createOrderWrites(created, before, 'shop', { policies: bindPolicies({}), now: NOW }),
    NOW,
  )

  expect(result).toEqual({ kind: 'done' })
  const file = await readOrderFile(ledger, orderNo)
  expect(file.order).toEqual(created.order)
  expect(file.tasks.find(({ sk }) => sk === key.sk)).toMatchObject({ nextExecuteAt: at, wake: at, retryCount: 1 })
})

it('the largest order fits one transaction with room for what waits', async () => {
  const created = anOrder(MAX_LINES)
  const before = await readOrderFile(ledger, created.order.orderNo)

  const writes = createOrderWrites(created, before, 'shop', { policies: bindPolicies({}), now: NOW })

  expect(writes.length).toBe(MAX_LINES + 3)
  expect(writes.length).toBeLessThan(MAX_TRANSACTION_ITEMS)
})
