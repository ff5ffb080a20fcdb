import { describe, expect, it } from 'vitest'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { orderKey, orderPk } from '../../modules/ledger/table/keys.ts'
import { openTestLedger } from '../support/ledger.ts'
import { readCollectionRows } from '../support/ledger-rows.ts'
import { rawUpdate } from '../support/raw-writes.ts'
import { aFreshOrderNo, anOrderBody, NOW, openOrdersApi } from './orders-api.ts'
import { setTask, soon, taskOf } from './tasks-setup.ts'

const { ledger } = await openTestLedger()
const api = openOrdersApi(ledger)

async function aPayingOrder() {
  const orderNo = aFreshOrderNo()
  await api.put(orderNo, anOrderBody())
  await api.pay(orderNo, { channel: 'alipay' })
  return { orderNo, bizNo: `alipay/${orderNo}` }
}

describe('closing an order', () => {
  const askClose = (orderNo: string) => api.send('POST /orders/{orderNo}/close', { path: { orderNo } })

  it('has CLOSE_ORDER done now and leaves the order to it', async () => {
    const { orderNo } = await aPayingOrder()

    const answer = await askClose(orderNo)

    expect(answer.status).toBe(202)
    expect(answer.body).toMatchObject({
      order: { orderNo, status: 'PAYING' },
      tasks: [{ bizType: 'CLOSE_ORDER', status: 'WAITING', nextExecuteAt: NOW }],
    })
    expect(await taskOf(ledger, orderNo, 'CLOSE_ORDER', orderNo)).toMatchObject({ nextExecuteAt: NOW, wake: NOW })
    expect((await readOrderFile(ledger, orderNo)).order).toMatchObject({ status: 'PAYING', rev: 2 })
  })

  it('that is closed is done already', async () => {
    const { orderNo } = await aPayingOrder()
    await setOrder(orderNo, 'CLOSED')

    const answer = await askClose(orderNo)

    expect(answer).toMatchObject({ status: 200, body: { order: { status: 'CLOSED' }, tasks: [] } })
  })

  it.each(['PAID', 'DELIVERED', 'COMPLETED', 'REFUNDING', 'REFUNDED'])('that is %s is refused', async (status) => {
    const { orderNo } = await aPayingOrder()
    await setOrder(orderNo, status)
    const rows = await readCollectionRows(ledger, orderPk(orderNo))

    const answer = await askClose(orderNo)

    expect(answer).toMatchObject({ status: 409, body: { code: 'ORDER_NOT_PAYABLE', orderStatus: status } })
    expect(await readCollectionRows(ledger, orderPk(orderNo))).toEqual(rows)
  })

  it('that is not there is answered 404', async () => {
    expect(await askClose(aFreshOrderNo())).toMatchObject({ status: 404, body: { code: 'ORDER_NOT_FOUND' } })
  })

  it('does not look at a body', async () => {
    const { orderNo } = await aPayingOrder()

    const answer = await api.send('POST /orders/{orderNo}/close', { path: { orderNo }, body: '{' })

    expect(answer.status).toBe(202)
  })
})

describe('a buyer who is back from the cashier', () => {
  const askRefresh = (orderNo: string) => api.send('POST /orders/{orderNo}/refresh', { path: { orderNo } })

  it('has the channel of each open try asked now, and of no other', async () => {
    const { orderNo, bizNo } = await aPayingOrder()
    await api.pay(orderNo, { channel: 'stripe' })
    await api.pay(orderNo, { channel: 'wechatpay' })
    const failed = { pk: orderPk(orderNo), sk: `PA#wechatpay#${orderNo}` }
    const counted = rawUpdate(orderKey(orderNo), { add: { openTries: -1 } })
    await commit(ledger, [rawUpdate(failed, { set: { state: 'FAILED' } }), counted], NOW)
    await setTask(ledger, orderNo, 'QUERY_PAYMENT', bizNo, { status: 'RETRY', nextExecuteAt: soon(600) })

    const answer = await askRefresh(orderNo)

    expect(answer.status).toBe(202)
    expect(answer.body).toMatchObject({ order: { orderNo }, tasks: [{ channel: 'alipay' }, { channel: 'stripe' }] })
    const times = (await readOrderFile(ledger, orderNo)).tasks
      .filter(({ bizType }) => bizType === 'QUERY_PAYMENT')
      .map(({ channel, nextExecuteAt }) => [String(channel), nextExecuteAt])
    expect(times.sort()).toEqual([
      ['alipay', NOW],
      ['stripe', NOW],
      ['wechatpay', soon(5)],
    ])
  })

  it('finds what a person has to decide as it is', async () => {
    const { orderNo, bizNo } = await aPayingOrder()
    await setTask(ledger, orderNo, 'QUERY_PAYMENT', bizNo, { status: 'MANUAL' })
    const rows = await readCollectionRows(ledger, orderPk(orderNo))

    const answer = await askRefresh(orderNo)

    expect(answer).toMatchObject({ status: 202, body: { tasks: [{ status: 'MANUAL' }] } })
    expect(await readCollectionRows(ledger, orderPk(orderNo))).toEqual(rows)
  })

  it('without an open try asks nobody', async () => {
    const orderNo = aFreshOrderNo()
    await api.put(orderNo, anOrderBody())

    expect(await askRefresh(orderNo)).toMatchObject({ status: 202, body: { order: { status: 'WAIT_PAY' }, tasks: [] } })
    expect(await askRefresh(aFreshOrderNo())).toMatchObject({ status: 404, body: { code: 'ORDER_NOT_FOUND' } })
  })
})

async function setOrder(orderNo: ReturnType<typeof aFreshOrderNo>, status: string) {
  await commit(ledger, [rawUpdate(orderKey(orderNo), { set: { status } })], NOW)
}
