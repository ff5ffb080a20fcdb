import { describe, expect, it } from 'vitest'
import { plusMs } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { createOrderWrites, newOrder } from '../../modules/ledger/order/create-order.ts'
import { newPayAttempt, startPayAttemptWrites } from '../../modules/ledger/pay-attempt/start-pay-attempt.ts'
import { readOrderFile, readRows } from '../../modules/ledger/read/queries.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { revIs, rowExists } from '../../modules/ledger/table/conditions.ts'
import { payAttemptSk } from '../../modules/ledger/table/keys.ts'
import { IllegalTransitionError } from '../../modules/ledger/table/move-row.ts'
import type { OrderRow } from '../../modules/ledger/table/rows.ts'
import { aFreshOrderNo } from '../orders/orders-api.ts'
import { aChannel, anInstant, anOutTradeNo, money, sure } from '../support/core-builders.ts'
import { openTestLedger } from '../support/ledger.ts'
import { rawUpdate } from '../support/raw-writes.ts'

const { ledger } = await openTestLedger()
const NOW = anInstant()

async function aCreatedOrder(): Promise<OrderRow> {
  const orderNo = aFreshOrderNo()
  const content = { orderNo, ...money(), lines: [], closeAt: plusMs(NOW, 900_000), contentHash: 'hash' }
  const created = newOrder(content, NOW)
  const before = await readOrderFile(ledger, orderNo)
  expect(
    await commit(ledger, createOrderWrites(created, before, 'shop', { policies: bindPolicies({}), now: NOW }), NOW),
  ).toEqual({ kind: 'done' })
  return created.order
}

function start(order: OrderRow, outTradeNo: string = order.orderNo) {
  const number = { channel: aChannel(), outTradeNo: anOutTradeNo(outTradeNo) }
  const attempt = newPayAttempt(order, { ...number, expiresAt: order.closeAt }, NOW)
  return commit(ledger, startPayAttemptWrites(order, attempt, 'shop', { policies: bindPolicies({}), now: NOW }), NOW)
}

describe('starting a payAttempt', () => {
  it('writes rows that are read back as they were made', async () => {
    const order = await aCreatedOrder()

    await start(order)

    const file = await readOrderFile(ledger, order.orderNo)
    const attempt = { channel: aChannel(), outTradeNo: anOutTradeNo(order.orderNo), expiresAt: order.closeAt }
    expect(file.payAttempts).toEqual([newPayAttempt(order, attempt, NOW)])
  })

  it('loses against anyone who wrote the order since it was read', async () => {
    const order = await aCreatedOrder()
    await commit(ledger, [rawUpdate(order, {}, rowExists)], NOW)

    const result = await start(order)

    expect(result).toMatchObject({ kind: 'lost', losses: [{ found: { rev: 2 } }] })
    const [attempt] = await readRows(ledger, [
      { pk: order.pk, sk: payAttemptSk(aChannel(), anOutTradeNo(order.orderNo)) },
    ])
    expect(attempt).toBeUndefined()
  })

  it.each(['PAID', 'CLOSED'])('on an order in PAYING loses against its becoming %s', async (status) => {
    const order = await aCreatedOrder()
    await start(order)
    const seen = sure((await readOrderFile(ledger, order.orderNo)).order)
    const end = rawUpdate(order, { set: { status } }, revIs(seen.rev))
    await commit(ledger, [end], NOW)

    const result = await start(seen, `${order.orderNo}_2`)

    expect(result).toMatchObject({ kind: 'lost', losses: [{ found: { status } }] })
    expect((await readOrderFile(ledger, order.orderNo)).payAttempts).toHaveLength(1)
  })

  it('makes a close lose that rests on what it read before', async () => {
    const order = await aCreatedOrder()
    await start(order)
    const seen = sure((await readOrderFile(ledger, order.orderNo)).order)
    await start(seen, `${order.orderNo}_2`)

    const close = await commit(ledger, [rawUpdate(order, { set: { status: 'CLOSED' } }, revIs(seen.rev))], NOW)

    expect(close.kind).toBe('lost')
  })

  it('is no step that a paid order has', async () => {
    const order = await aCreatedOrder()

    expect(() => start({ ...order, status: 'PAID' })).toThrow(IllegalTransitionError)
  })
})
