import { describe, expect, it } from 'vitest'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { MAX_LINES } from '../../modules/ledger/table/limits.ts'
import { openTestLedger } from '../support/ledger.ts'
import { aFreshOrderNo, anOrderBody, fieldsOf, openOrdersApi } from './orders-api.ts'

const { ledger } = await openTestLedger()
const api = openOrdersApi(ledger)

/** An order whose amount is written as `text` in the JSON. */
const withAmount = (text: string) =>
  JSON.stringify(anOrderBody({ amount: 0 })).replace('"amount":0', `"amount":${text}`)

describe('an amount', () => {
  it.each([
    '1.5',
    '0.1',
    '"100"',
    '"8800"',
    '0',
    '-1',
    '-0',
    '1E-2',
    '1e999',
    '9007199254740992',
    '9007199254740993',
    // A float would round this one to a whole number.
    '9007199254740990.6',
    '4503599627370495.49999',
    'null',
    'true',
    '[8800]',
    '{"value":8800}',
  ])('of %s is refused by name', async (text) => {
    const orderNo = aFreshOrderNo()

    const answer = await api.put(orderNo, withAmount(text))

    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({
      code: 'VALIDATION_FAILED',
      title: expect.any(String),
      type: expect.any(String),
    })
    expect(fieldsOf(answer)).toEqual(['amount'])
    expect((await readOrderFile(ledger, orderNo)).order).toBeUndefined()
  })

  it.each([
    ['1', 1],
    ['1e3', 1000],
    ['1E+3', 1000],
    ['5e+3', 5000],
    ['7.00', 7],
    ['9007199254740991', 9007199254740991],
  ])('written %s is %d minor units', async (text, amount) => {
    const answer = await api.put(aFreshOrderNo(), withAmount(text))

    expect(answer.status).toBe(201)
    expect(answer.body['amount']).toBe(amount)
  })
})

describe('fields that are wrong', () => {
  it('are all named at once', async () => {
    const answer = await api.put(aFreshOrderNo(), {
      amount: 1.5,
      currency: 'XXQ',
      lines: [{ sku: 'ok', quantity: 0 }, { sku: 'a/b', quantity: 1001 }, { quantity: '1' }, 7],
      closeAt: '2026-02-30T00:00:00Z',
      attributes: { a: 1 },
    })

    expect(answer.status).toBe(422)
    expect(fieldsOf(answer)).toEqual([
      'amount',
      'currency',
      'lines[0].quantity',
      'lines[1].sku',
      'lines[1].quantity',
      'lines[2].sku',
      'lines[2].quantity',
      'lines[3]',
      'closeAt',
      'attributes.*',
    ])
    expect(answer.body['detail']).toContain('lines[1].sku')
  })

  it('that are missing are told apart', async () => {
    const answer = await api.put(aFreshOrderNo(), {})

    expect(answer.body['fields']).toEqual([
      { field: 'amount', problem: 'is missing' },
      { field: 'currency', problem: 'is missing' },
      { field: 'lines', problem: 'is missing' },
    ])
  })

  it.each([
    ['currency', { currency: 'cny' }],
    ['currency', { currency: 'CNY ' }],
    ['lines', { lines: [] }],
    ['lines', { lines: Array(MAX_LINES + 1).fill({ sku: 'A', quantity: 1 }) }],
    ['lines', { lines: { 0: { sku: 'A', quantity: 1 } } }],
    ['lines[0].sku', { lines: [{ sku: '卡', quantity: 1 }] }],
    ['lines[0].sku', { lines: [{ sku: 'A#B', quantity: 1 }] }],
    ['lines[0].sku', { lines: [{ sku: 'x'.repeat(65), quantity: 1 }] }],
    ['lines[0].quantity', { lines: [{ sku: 'A', quantity: 1.5 }] }],
    ['closeAt', { closeAt: '2026-03-01T09:00:00' }],
    ['closeAt', { closeAt: 1772355600000 }],
    ['closeAt', { closeAt: null }],
    ['attributes', { attributes: [] }],
    ['attributes', { attributes: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`n${at}`, 'v'])) }],
    ['attributes.*', { attributes: { a: 'x'.repeat(257) } }],
    ['attributes.*', { attributes: { '': 'x' } }],
  ])('are refused by name: %s %o', async (field, change) => {
    const answer = await api.put(aFreshOrderNo(), anOrderBody(change))

    expect(answer.status).toBe(422)
    expect(fieldsOf(answer)).toEqual([field])
  })

  it.each([
    ['amount', '{"amount":1,"currency":"CNY","lines":[{"sku":"A","quantity":1}],"amount":2}'],
    ['amount', '{"amount":1,"currency":"CNY","lines":[{"sku":"A","quantity":1}],"\\u0061mount":1}'],
    ['quantity', '{"amount":1,"currency":"CNY","lines":[{"sku":"A","quantity":1,"quantity":9}]}'],
  ])('are refused when they stand twice: %s in %s', async (field, body) => {
    const answer = await api.put(aFreshOrderNo(), body)

    expect(answer.status).toBe(422)
    expect(fieldsOf(answer)).toEqual([field])
  })

  it('a name that stands once in each of two objects stands once', async () => {
    const lines = [{ sku: '{"sku":', quantity: 1 }]

    const answer = await api.put(
      aFreshOrderNo(),
      anOrderBody({ lines, attributes: { amount: '"amount":1,{', sku: '\\' } }),
    )

    expect(fieldsOf(answer)).toEqual(['lines[0].sku'])
  })
})

describe('texts of the merchant', () => {
  it('come back as they were sent', async () => {
    const orderNo = aFreshOrderNo()
    const attributes = {
      买家: '张三 😀',
      quote: '"\\',
      html: '<b>&amp;',
      nul: '\u0000',
      rtl: '\u202eabc',
      empty: '',
      '=1+1': '@x',
    }

    await api.put(orderNo, anOrderBody({ attributes }))

    const { body } = await api.get(orderNo)
    expect(body['order']).toMatchObject({ attributes })
  })

  it('with half of a surrogate pair are no text', async () => {
    const answer = await api.put(aFreshOrderNo(), JSON.stringify(anOrderBody()).replace('CARD-44', '\\ud83d'))

    expect(answer.status).toBe(400)
    expect(answer.body['code']).toBe('INVALID_JSON')
  })
})

describe('a body', () => {
  it.each([undefined, '', '{', 'null', '[]', '"text"', '{"amount":01}', "{'amount':1}", '{"amount":NaN}'])(
    'of %s is no JSON object',
    async (body) => {
      const answer = await api.put(aFreshOrderNo(), body)

      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({ code: 'INVALID_JSON', status: 400 })
    },
  )

  it('nested beyond all measure is refused like any other', async () => {
    const answer = await api.put(aFreshOrderNo(), `${'['.repeat(50_000)}${']'.repeat(50_000)}`)

    expect(answer.status).toBe(400)
  })

  it('over 100 KB is refused before it is read', async () => {
    const answer = await api.put(aFreshOrderNo(), JSON.stringify(anOrderBody({ note: '卡'.repeat(34_200) })))

    expect(answer.status).toBe(413)
    expect(answer.body['code']).toBe('BODY_TOO_LARGE')
  })

  it('that the gateway hands over in base64 is the same body', async () => {
    const orderNo = aFreshOrderNo()
    const body = Buffer.from(JSON.stringify(anOrderBody({ attributes: { a: '卡' } }))).toString('base64')

    const answer = await api.send('PUT /orders/{orderNo}', { path: { orderNo }, body, isBase64Encoded: true })

    expect(answer.status).toBe(201)
    expect(answer.body['attributes']).toEqual({ a: '卡' })
  })

  it('that is not UTF-8 is no JSON', async () => {
    const body = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]).toString('base64')

    const answer = await api.send('PUT /orders/{orderNo}', {
      path: { orderNo: aFreshOrderNo() },
      body,
      isBase64Encoded: true,
    })

    expect(answer.status).toBe(400)
  })
})

it('a route that the API does not have is answered 404', async () => {
  const answer = await api.send('DELETE /orders/{orderNo}', { path: { orderNo: aFreshOrderNo() } })

  expect(answer.status).toBe(404)
  expect(answer.body['code']).toBe('ROUTE_NOT_FOUND')
})
