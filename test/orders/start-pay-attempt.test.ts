import { describe, expect, it } from 'vitest'
import { plusMs } from '../../modules/core/instant.ts'
import type { OrderStatus } from '../../modules/core/order.ts'
import { readOrderFile, readRows } from '../../modules/ledger/read/queries.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { duePkOf, orderKey, orderPk, outTradeNoGuard } from '../../modules/ledger/table/keys.ts'
import { MAX_OPEN_PAY_ATTEMPTS } from '../../modules/ledger/table/limits.ts'
import { taskNoOf } from '../../modules/ledger/table/names.ts'
import { aChannel, anInstant, anOrderNo, anOutTradeNo } from '../support/core-builders.ts'
import { openTestLedger } from '../support/ledger.ts'
import { rawUpdate } from '../support/raw-writes.ts'
import { aFreshOrderNo, anOrderBody, CLOSE_AT, fieldsOf, NOW, openOrdersApi } from './orders-api.ts'

const { ledger } = await openTestLedger()

type Order = ReturnType<typeof aFreshOrderNo>

async function anOpenOrder(orderNo: Order = aFreshOrderNo()) {
  const api = openOrdersApi(ledger)
  await api.put(orderNo, anOrderBody())
  return { api, orderNo }
}

/** Puts the order into a state that other functions bring about. */
async function setOrder(orderNo: Order, set: Record<string, unknown>) {
  await commit(ledger, [rawUpdate(orderKey(orderNo), { set })], NOW)
}

describe('the first payment attempt', () => {
  it('is answered 201 under the order’s number', async () => {
    const { api, orderNo } = await anOpenOrder()

    const answer = await api.pay(orderNo, { channel: 'alipay' })

    expect(answer.status).toBe(201)
    expect(answer.headers['location']).toBe(`/orders/${orderNo}/pay-attempts/${orderNo}`)
    expect(answer.body).toEqual({
      orderNo,
      channel: 'alipay',
      outTradeNo: orderNo,
      state: 'OPEN',
      amount: 8800,
      currency: 'CNY',
      expiresAt: CLOSE_AT,
      createdAt: NOW,
      updatedAt: NOW,
      revision: 1,
    })
  })

  it('writes attempt, guard, order in PAYING, journal and query task together', async () => {
    const { api, orderNo } = await anOpenOrder()

    await api.pay(orderNo, { channel: 'alipay', channelRef: 'ref-1', expiresAt: '2026-03-01T08:05:00Z' })

    const file = await readOrderFile(ledger, orderNo)
    expect(file.payAttempts).toMatchObject([
      { sk: `PA#alipay#${orderNo}`, state: 'OPEN', channelRef: 'ref-1', expiresAt: '2026-03-01T08:05:00.000Z' },
    ])
    expect(file.order).toMatchObject({
      status: 'PAYING',
      rev: 2,
      duePk: duePkOf(orderPk(orderNo)),
      dueAt: plusMs(NOW, 600_000),
    })
    expect(file.journal).toMatchObject([
      { orderRev: 1 },
      {
        sk: 'J#000002',
        from: 'WAIT_PAY',
        to: 'PAYING',
        operatorType: 'MERCHANT',
        operator: 'shop',
        evidence: `PA#alipay#${orderNo}`,
      },
    ])
    expect(file.tasks.find(({ bizType }) => bizType === 'QUERY_PAYMENT')).toMatchObject({
      taskNo: taskNoOf('QUERY_PAYMENT', `alipay/${orderNo}`),
      bizNo: `alipay/${orderNo}`,
      orderNo,
      channel: 'alipay',
      lane: 'alipay',
      status: 'WAITING',
      wake: plusMs(NOW, 5_000),
    })
    const [guard] = await readRows(ledger, [outTradeNoGuard(aChannel(), anOutTradeNo(orderNo))])
    expect(guard).toMatchObject({ et: 'GUARD', orderNo, collection: orderPk(orderNo) })
  })
})

describe('a further payment attempt', () => {
  it('takes the next number and raises the order’s revision without a journal entry', async () => {
    const { api, orderNo } = await anOpenOrder()
    await api.pay(orderNo, { channel: 'alipay' })
    api.clock.now = plusMs(NOW, 60_000)

    const answer = await api.pay(orderNo, { channel: 'alipay' })

    expect(answer.body['outTradeNo']).toBe(`${orderNo}_2`)
    const file = await readOrderFile(ledger, orderNo)
    expect(file.order).toMatchObject({ status: 'PAYING', rev: 3, dueAt: plusMs(NOW, 660_000) })
    expect(file.journal).toHaveLength(2)
    expect(file.tasks.filter(({ bizType }) => bizType === 'QUERY_PAYMENT')).toHaveLength(2)
  })

  it('on another channel has the order’s number there', async () => {
    const { api, orderNo } = await anOpenOrder()
    await api.pay(orderNo, { channel: 'alipay' })

    const answer = await api.pay(orderNo, { channel: 'stripe' })

    expect(answer.status).toBe(201)
    expect(answer.body['outTradeNo']).toBe(orderNo)
  })

  it('after a failure brings the order back to PAYING', async () => {
    const { api, orderNo } = await anOpenOrder()
    await setOrder(orderNo, { status: 'PAY_FAILED' })

    expect((await api.pay(orderNo, { channel: 'alipay' })).status).toBe(201)

    const file = await readOrderFile(ledger, orderNo)
    expect(file.order?.status).toBe('PAYING')
    expect(file.journal.at(-1)).toMatchObject({ from: 'PAY_FAILED', to: 'PAYING' })
  })

  it('passes over a number that another order holds', async () => {
    const { api, orderNo } = await anOpenOrder()
    const other = await anOpenOrder()
    await other.api.pay(other.orderNo, { channel: 'alipay', outTradeNo: orderNo }).then(({ status }) => {
      expect(status).toBe(409)
    })
    await other.api.pay(other.orderNo, { channel: 'alipay', outTradeNo: `${orderNo}_2` })
    await api.pay(orderNo, { channel: 'alipay' })

    const answer = await api.pay(orderNo, { channel: 'alipay' })

    expect(answer.body['outTradeNo']).toBe(`${orderNo}_3`)
  })

  it('passes over a number that is another order’s own', async () => {
    const { api, orderNo } = await anOpenOrder()
    await anOpenOrder(anOrderNo(`${orderNo}_2`))
    await api.pay(orderNo, { channel: 'alipay' })

    const answer = await api.pay(orderNo, { channel: 'alipay' })

    expect(answer.body['outTradeNo']).toBe(`${orderNo}_3`)
  })

  it('beyond the limit of open ones is refused', async () => {
    const { api, orderNo } = await anOpenOrder()
    for (let count = 0; count < MAX_OPEN_PAY_ATTEMPTS; count++) await api.pay(orderNo, { channel: 'alipay' })

    const answer = await api.pay(orderNo, { channel: 'stripe' })

    expect(answer.status).toBe(409)
    expect(answer.body['code']).toBe('TOO_MANY_PAY_ATTEMPTS')
  })
})

describe('the same payment attempt again', () => {
  it('is answered 200 with the same bytes, even when the order is paid by now', async () => {
    const { api, orderNo } = await anOpenOrder()
    const body = {
      channel: 'stripe',
      outTradeNo: `my-try.1${orderNo}`,
      channelRef: 'pi_1',
      amount: 8800,
      currency: 'CNY',
    }
    const first = await api.pay(orderNo, body)
    await setOrder(orderNo, { status: 'PAID' })
    api.clock.now = anInstant('2026-03-01T10:00:00.000Z')

    const again = await api.pay(orderNo, body)

    expect([first.status, again.status]).toEqual([201, 200])
    expect(again.text).toBe(first.text)
    expect((await readOrderFile(ledger, orderNo)).payAttempts).toHaveLength(1)
  })

  it.each([
    ['expiresAt', { expiresAt: '2026-03-01T08:10:00Z' }],
    ['channelRef', { channelRef: 'pi_2' }],
  ])('with other content is refused by name: %s', async (field, change) => {
    const { api, orderNo } = await anOpenOrder()
    const body = { channel: 'stripe', outTradeNo: orderNo, channelRef: 'pi_1' }
    await api.pay(orderNo, body)

    const answer = await api.pay(orderNo, { ...body, ...change })

    expect(answer.status).toBe(409)
    expect(answer.body['code']).toBe('PAY_ATTEMPT_DIFFERS')
    expect(fieldsOf(answer)).toEqual([field])
  })

  it('is the same when its channelRef came later', async () => {
    const { api, orderNo } = await anOpenOrder()
    const body = { channel: 'stripe', outTradeNo: orderNo }
    await api.pay(orderNo, body)
    await api.patch(orderNo, orderNo, { channelRef: 'pi_1' })

    expect((await api.pay(orderNo, body)).status).toBe(200)
  })
})

describe('requests at once', () => {
  it('two get a number each', async () => {
    const { api, orderNo } = await anOpenOrder()

    const answers = await Promise.all([
      api.pay(orderNo, { channel: 'alipay' }),
      api.pay(orderNo, { channel: 'alipay' }),
    ])

    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect(answers.map(({ body }) => body['outTradeNo']).sort()).toEqual([orderNo, `${orderNo}_2`])
    expect((await readOrderFile(ledger, orderNo)).order?.rev).toBe(3)
  })

  it('five of the same number make one attempt', async () => {
    const { api, orderNo } = await anOpenOrder()
    const body = { channel: 'alipay', outTradeNo: orderNo }

    const answers = await Promise.all(Array.from({ length: 5 }, () => api.pay(orderNo, body)))

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201])
    expect((await readOrderFile(ledger, orderNo)).payAttempts).toHaveLength(1)
  })

  it('of two orders that want one number one gets it', async () => {
    const [a, b] = [await anOpenOrder(), await anOpenOrder()]
    const body = { channel: 'alipay', outTradeNo: `n_${a.orderNo}` }

    const answers = await Promise.all([a.api.pay(a.orderNo, body), b.api.pay(b.orderNo, body)])

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    const refused = answers.find(({ status }) => status === 409)
    expect(refused?.body['code']).toBe('OUT_TRADE_NO_TAKEN')
    const files = [await readOrderFile(ledger, a.orderNo), await readOrderFile(ledger, b.orderNo)]
    expect(files.map(({ order }) => order?.status).sort()).toEqual(['PAYING', 'WAIT_PAY'])
  })
})

describe('an order that takes no attempt', () => {
  const statuses: OrderStatus[] = ['PAID', 'DELIVERED', 'COMPLETED', 'CLOSED', 'REFUNDING', 'REFUNDED']

  it.each(statuses)('in %s answers with its status', async (status) => {
    const { api, orderNo } = await anOpenOrder()
    await setOrder(orderNo, { status })

    const answer = await api.pay(orderNo, { channel: 'alipay' })

    expect(answer.status).toBe(409)
    expect(answer.body).toMatchObject({ code: 'ORDER_NOT_PAYABLE', orderStatus: status })
    expect((await readOrderFile(ledger, orderNo)).payAttempts).toEqual([])
  })

  it('is one that CLOSE_ORDER holds, until its lease is over', async () => {
    const { api, orderNo } = await anOpenOrder()
    const taskNo = taskNoOf('CLOSE_ORDER', orderNo)
    await setOrder(orderNo, { activeTask: { taskNo, fence: 1, leaseUntil: plusMs(NOW, 90_500) } })

    const held = await api.pay(orderNo, { channel: 'alipay' })
    api.clock.now = plusMs(NOW, 90_501)
    const lapsed = await api.pay(orderNo, { channel: 'alipay' })

    expect(held.status).toBe(409)
    expect(held.body['code']).toBe('ORDER_CLOSING')
    expect(held.headers['retry-after']).toBe('91')
    expect(lapsed.status).toBe(201)
  })

  it('does not exist', async () => {
    const answer = await openOrdersApi(ledger).pay(aFreshOrderNo(), { channel: 'alipay' })

    expect(answer.status).toBe(404)
    expect(answer.body['code']).toBe('ORDER_NOT_FOUND')
  })
})

describe('when a payment attempt expires', () => {
  const DAY_MS = 24 * 60 * 60 * 1000

  it('may be up to 31 days after the order’s closeAt, as a voucher for cash needs it', async () => {
    const { api, orderNo } = await anOpenOrder()
    const expiresAt = plusMs(CLOSE_AT, 31 * DAY_MS)

    const answer = await api.pay(orderNo, { channel: 'partner', expiresAt })

    expect(answer.status).toBe(201)
    expect(answer.body['expiresAt']).toBe(expiresAt)
  })

  it.each([
    ['a millisecond later', plusMs(CLOSE_AT, 31 * DAY_MS + 1)],
    ['in the year 2099', '2099-01-01T00:00:00Z'],
    ['at the end of all dates', '9999-12-31T23:59:59Z'],
  ])('is no time that would hold the goods for years: %s', async (_what, expiresAt) => {
    const { api, orderNo } = await anOpenOrder()

    const answer = await api.pay(orderNo, { channel: 'partner', expiresAt })

    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: [{ field: 'expiresAt', problem: "must be at most 31 days after the order's closeAt" }],
    })
    expect((await readOrderFile(ledger, orderNo)).payAttempts).toEqual([])
  })
})

describe('a wrong request', () => {
  it.each([
    ['channel', { channel: 'paypal' }],
    ['channel', { channel: 'Alipay!' }],
    ['channel', {}],
    ['amount', { channel: 'alipay', amount: 8801 }],
    ['amount', { channel: 'alipay', amount: '8800' }],
    ['currency', { channel: 'alipay', currency: 'USD' }],
    ['expiresAt', { channel: 'alipay', expiresAt: NOW }],
    ['expiresAt', { channel: 'alipay', expiresAt: 'tomorrow' }],
    ['channelRef', { channel: 'alipay', channelRef: '' }],
    ['outTradeNo', { channel: 'alipay', outTradeNo: 'a-b' }],
    ['outTradeNo', { channel: 'alipay', outTradeNo: 'x'.repeat(65) }],
    ['outTradeNo', { channel: 'wechatpay', outTradeNo: 'short' }],
    ['outTradeNo', { channel: 'wechatpay', outTradeNo: 'x'.repeat(33) }],
    ['outTradeNo', { channel: 'wechatpay', outTradeNo: 'ab@cdef' }],
    ['outTradeNo', { channel: 'stripe', outTradeNo: 'a b' }],
    ['outTradeNo', { channel: 'stripe', outTradeNo: 'a#b' }],
    ['outTradeNo', { channel: 'partner', outTradeNo: 'x'.repeat(81) }],
    ['outTradeNo', { channel: 'partner', outTradeNo: '卡卡' }],
  ])('is refused by the name of the field: %s %o', async (field, body) => {
    const { api, orderNo } = await anOpenOrder()

    const answer = await api.pay(orderNo, body)

    expect(answer.status).toBe(422)
    expect(fieldsOf(answer)).toEqual([field])
    expect((await readOrderFile(ledger, orderNo)).order?.rev).toBe(1)
  })

  it('is one without a number when the channel cannot take the order’s', async () => {
    const { api, orderNo } = await anOpenOrder(anOrderNo(`A-${aFreshOrderNo()}`))

    const answer = await api.pay(orderNo, { channel: 'alipay' })

    expect(answer.status).toBe(422)
    expect(fieldsOf(answer)).toEqual(['outTradeNo'])
  })

  it.each([
    ['wechatpay', 'A_-*|b'],
    ['alipay', 'x'.repeat(48)],
    ['stripe', 'a:b@c.d'],
    ['partner', '1'],
  ])('is not a number that %s takes: %s', async (channel, start) => {
    const { api, orderNo } = await anOpenOrder()

    const answer = await api.pay(orderNo, { channel, outTradeNo: `${start}${orderNo}`.slice(0, 64) })

    expect(answer.status).toBe(201)
  })
})
