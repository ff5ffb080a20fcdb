import { describe, expect, it } from 'vitest'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { duePkOf, orderPk } from '../../modules/ledger/table/keys.ts'
import { taskNoOf } from '../../modules/ledger/table/names.ts'
import { anInstant, anOrderNo } from '../support/core-builders.ts'
import { openTestLedger } from '../support/ledger.ts'
import { aFreshOrderNo, anOrderBody, CLOSE_AT, fieldsOf, NOW, openOrdersApi } from './orders-api.ts'

const { ledger } = await openTestLedger()

describe('a new order', () => {
  it('is answered 201 with its address and its representation', async () => {
    const api = openOrdersApi(ledger)
    const orderNo = aFreshOrderNo()

    const answer = await api.put(orderNo, anOrderBody({ attributes: { buyer: '顧客 😀' } }))

    expect(answer.status).toBe(201)
    expect(answer.headers).toMatchObject({ location: `/orders/${orderNo}`, 'content-type': 'application/json' })
    expect(answer.body).toEqual({
      orderNo,
      status: 'WAIT_PAY',
      settlement: 'PENDING',
      amount: 8800,
      currency: 'CNY',
      closeAt: CLOSE_AT,
      createdAt: NOW,
      updatedAt: NOW,
      revision: 1,
      attributes: { buyer: '顧客 😀' },
      lines: [{ line: 1, sku: 'CARD-44', quantity: 2, state: 'RESERVED', revision: 1, updatedAt: NOW }],
    })
  })

  it('writes order, lines, journal and the closing task together', async () => {
    const api = openOrdersApi(ledger)
    const orderNo = aFreshOrderNo()

    await api.put(
      orderNo,
      anOrderBody({
        lines: [
          { sku: 'A', quantity: 1 },
          { sku: 'B', quantity: 1000 },
        ],
      }),
    )

    const file = await readOrderFile(ledger, orderNo)
    expect(file.order).toMatchObject({ rev: 1, lines: 2, undelivered: 2, status: 'WAIT_PAY' })
    expect(file.order?.duePk).toBeUndefined()
    expect(file.lines.map(({ sk, sku, qty, state }) => [sk, sku, qty, state])).toEqual([
      ['LINE#01', 'A', 1, 'RESERVED'],
      ['LINE#02', 'B', 1000, 'RESERVED'],
    ])
    expect(file.journal).toMatchObject([
      { sk: 'J#000001', from: '', to: 'WAIT_PAY', operatorType: 'MERCHANT', operator: 'shop', evidence: 'ORDER' },
    ])
    expect(file.tasks).toMatchObject([
      {
        taskNo: taskNoOf('CLOSE_ORDER', orderNo),
        bizType: 'CLOSE_ORDER',
        bizNo: orderNo,
        lane: 'internal',
        status: 'WAITING',
        nextExecuteAt: CLOSE_AT,
        wake: CLOSE_AT,
        duePk: duePkOf(orderPk(orderNo)),
      },
    ])
  })

  it('closes when the merchant says, told in any zone', async () => {
    const api = openOrdersApi(ledger)
    const orderNo = aFreshOrderNo()

    const answer = await api.put(orderNo, anOrderBody({ closeAt: '2026-03-02T16:00:00+08:00' }))

    expect(answer.body['closeAt']).toBe('2026-03-02T08:00:00.000Z')
    const [task] = (await readOrderFile(ledger, orderNo)).tasks
    expect(task?.nextExecuteAt).toBe('2026-03-02T08:00:00.000Z')
  })

  it.each(['2026-03-01T08:00:00.000Z', '2020-01-01T00:00:00Z', '2031-01-01T00:00:00Z'])(
    'cannot be closed at %s: past, or years ahead',
    async (closeAt) => {
      const answer = await openOrdersApi(ledger).put(aFreshOrderNo(), anOrderBody({ closeAt }))

      expect(answer.status).toBe(422)
      expect(fieldsOf(answer)).toEqual(['closeAt'])
    },
  )

  it('ignores fields that it does not know', async () => {
    const answer = await openOrdersApi(ledger).put(aFreshOrderNo(), anOrderBody({ note: 1.5, status: 'PAID' }))

    expect(answer.status).toBe(201)
    expect(answer.body['status']).toBe('WAIT_PAY')
  })
})

describe('the same content again', () => {
  it('is answered 200 with the same bytes, however late and however it is written', async () => {
    const api = openOrdersApi(ledger)
    const orderNo = aFreshOrderNo()
    const first = await api.put(orderNo, anOrderBody({ attributes: { a: '1', c: '4', b: '3', 10: '2' } }))
    api.clock.now = anInstant('2026-03-05T00:00:00.000Z')

    const again = await api.put(
      orderNo,
      `{ "lines": [{"quantity": 2e0, "sku": "CARD-44"}], "attributes": {"b": "3", "10": "2", "a": "1", "c": "4"},
         "currency": "CNY", "amount": 88e2, "extra": true }`,
    )

    expect(again.status).toBe(200)
    expect(again.text).toBe(first.text)
    const file = await readOrderFile(ledger, orderNo)
    expect(file.journal).toHaveLength(1)
    expect(file.order?.rev).toBe(1)
  })

  it('is the same when it repeats the closeAt that the clock gave', async () => {
    const api = openOrdersApi(ledger)
    const orderNo = aFreshOrderNo()
    const { body } = await api.put(orderNo, anOrderBody())

    const again = await api.put(orderNo, anOrderBody({ closeAt: body['closeAt'] }))

    expect(again.status).toBe(200)
  })

  it('is the same with a closeAt that has passed by now', async () => {
    const api = openOrdersApi(ledger)
    const orderNo = aFreshOrderNo()
    const order = anOrderBody({ closeAt: '2026-03-01T09:00:00Z' })
    await api.put(orderNo, order)
    api.clock.now = anInstant('2026-03-02T00:00:00.000Z')

    expect((await api.put(orderNo, order)).status).toBe(200)
  })
})

describe('other content under the same number', () => {
  const before = anOrderBody({ attributes: { a: '1' }, closeAt: '2026-03-01T09:00:00Z' })

  it.each([
    ['amount', { amount: 8801 }],
    ['currency', { currency: 'USD' }],
    ['lines', { lines: [...before.lines, { sku: 'X', quantity: 1 }] }],
    ['lines[0].sku', { lines: [{ sku: 'X', quantity: 2 }] }],
    ['lines[0].quantity', { lines: [{ sku: 'CARD-44', quantity: 3 }] }],
    ['attributes', { attributes: { a: '2' } }],
    ['attributes', { attributes: undefined }],
    ['closeAt', { closeAt: '2026-03-01T09:00:01Z' }],
    ['closeAt', { closeAt: undefined }],
  ])('is refused by the name of the field: %s', async (field, change) => {
    const api = openOrdersApi(ledger)
    const orderNo = aFreshOrderNo()
    await api.put(orderNo, before)

    const answer = await api.put(orderNo, { ...before, ...change })

    expect(answer.status).toBe(409)
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(answer.body).toMatchObject({ code: 'ORDER_CONTENT_DIFFERS', status: 409 })
    expect(fieldsOf(answer)).toEqual([field])
    expect((await readOrderFile(ledger, orderNo)).order?.rev).toBe(1)
  })
})

describe('requests at once', () => {
  it('ten of the same content make one order', async () => {
    const api = openOrdersApi(ledger)
    const orderNo = aFreshOrderNo()

    const answers = await Promise.all(Array.from({ length: 10 }, () => api.put(orderNo, anOrderBody())))

    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    const file = await readOrderFile(ledger, orderNo)
    expect(file.journal).toHaveLength(1)
    expect(file.tasks).toHaveLength(1)
  })

  it('of two different contents one wins and the other is told what differs', async () => {
    const api = openOrdersApi(ledger)
    const orderNo = aFreshOrderNo()

    const answers = await Promise.all([
      api.put(orderNo, anOrderBody({ amount: 100 })),
      api.put(
        orderNo,
        anOrderBody({
          amount: 200,
          lines: [
            { sku: 'B', quantity: 1 },
            { sku: 'C', quantity: 1 },
          ],
        }),
      ),
    ])

    const [won, lost] = answers.sort((a, b) => a.status - b.status)
    expect([won?.status, lost?.status]).toEqual([201, 409])
    const file = await readOrderFile(ledger, orderNo)
    expect(file.order?.amount).toBe(won?.body['amount'])
    expect(file.lines).toHaveLength(file.order?.lines ?? 0)
  })
})

it.each(['a', 'short', 'x'.repeat(33), 'a b c d e f', 'ORDER#00001', '订单号码一二三'])(
  'the number %s is no order number',
  async (orderNo) => {
    const answer = await openOrdersApi(ledger).put(orderNo, anOrderBody())

    expect(answer.status).toBe(422)
    expect(fieldsOf(answer)).toEqual(['orderNo'])
  },
)

it('numbers that differ in case are two orders', async () => {
  const api = openOrdersApi(ledger)
  const orderNo = aFreshOrderNo()
  await api.put(orderNo, anOrderBody())

  const answer = await api.put(orderNo.toLowerCase(), anOrderBody({ amount: 1 }))

  expect(answer.status).toBe(201)
  expect((await readOrderFile(ledger, anOrderNo(orderNo))).order?.amount).toBe(8800)
})
