import { afterEach, describe, expect, it } from 'vitest'
import { openTestLedger } from '../support/ledger.ts'
import { aFreshSku, aLine, bucketsOf, getStock, putStock, totalsOf } from '../support/stock-builders.ts'
import { findStockFaults } from '../support/stock-invariants.ts'
import { aFreshOrderNo, anOrderBody, fieldsOf, NOW, openOrdersApi } from './orders-api.ts'

const { ledger } = await openTestLedger()

afterEach(async () => {
  expect(await findStockFaults(ledger)).toEqual([])
})

describe('a sku that is counted for the first time', () => {
  it('is answered 201 with its totals and its ETag', async () => {
    const api = openOrdersApi(ledger)
    const sku = aFreshSku()

    const answer = await putStock(api, sku, { onHand: 25 })

    expect(answer.status).toBe(201)
    expect(answer.headers).toMatchObject({ etag: '"1"' })
    expect(answer.body).toEqual({
      sku,
      kind: 'goods',
      interfaces: ['webhook'],
      buckets: 10,
      onHand: 25,
      available: 25,
      reserved: 0,
      sold: 0,
      revision: 1,
      updatedAt: NOW,
    })
    expect((await getStock(api, sku)).body).toEqual(answer.body)
  })

  it('is spread over its buckets', async () => {
    const api = openOrdersApi(ledger)
    const sku = aFreshSku()

    await putStock(api, sku, { onHand: 10, buckets: 4 }, { 'if-none-match': '*' })

    expect((await bucketsOf({ ledger }, sku)).map(({ available }) => available)).toEqual([3, 3, 2, 2])
  })

  it('is not found before', async () => {
    const answer = await getStock(openOrdersApi(ledger), aFreshSku())

    expect(answer).toMatchObject({ status: 404, body: { code: 'STOCK_NOT_FOUND' } })
  })

  it('of two that count it at the same moment one is told that it changed', async () => {
    const api = openOrdersApi(ledger)
    const sku = aFreshSku()

    const answers = await Promise.all([putStock(api, sku, { onHand: 5 }), putStock(api, sku, { onHand: 9 })])

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 412])
    const winner = answers.find(({ status }) => status === 201)
    expect((await totalsOf(api, sku)).onHand).toBe(winner?.body['onHand'])
  })
})

describe('a sku that is counted anew', () => {
  it('changes for who saw it as it is', async () => {
    const api = openOrdersApi(ledger)
    const sku = aFreshSku()
    const { headers } = await putStock(api, sku, { onHand: 5 })

    const answer = await putStock(api, sku, { onHand: 9 }, { 'if-match': String(headers['etag']) })

    expect(answer).toMatchObject({ status: 200, headers: { etag: '"2"' }, body: { onHand: 9, available: 9 } })
  })

  it.each([
    ['an older revision', { 'if-match': '"0"' }],
    ['nothing', {}],
    ['a sku that is not there', { 'if-none-match': '*' }],
    ['a weak tag', { 'if-match': 'W/"1"' }],
  ])('is refused to who saw %s', async (_, headers) => {
    const api = openOrdersApi(ledger)
    const sku = aFreshSku()
    await putStock(api, sku, { onHand: 5 })

    const answer = await putStock(api, sku, { onHand: 9 }, headers)

    expect(answer).toMatchObject({ status: 412, body: { code: 'STOCK_CHANGED' } })
    expect((await totalsOf(api, sku)).onHand).toBe(5)
  })

  it('is answered as done when it stands already: the answer was lost', async () => {
    const api = openOrdersApi(ledger)
    const sku = aFreshSku()
    await putStock(api, sku, { onHand: 5 })
    await putStock(api, sku, { onHand: 9 }, { 'if-match': '"1"' })

    const again = await putStock(api, sku, { onHand: 9 }, { 'if-match': '"1"' })

    expect(again).toMatchObject({ status: 200, headers: { etag: '"2"' }, body: { onHand: 9 } })
  })

  it('keeps its ETag while orders take from it', async () => {
    const api = openOrdersApi(ledger)
    const sku = aFreshSku()
    await putStock(api, sku, { onHand: 5 })
    await api.put(aFreshOrderNo(), anOrderBody({ lines: [aLine(sku, 2)] }))

    const answer = await putStock(api, sku, { onHand: 6 }, { 'if-match': '"1"' })

    expect(answer).toMatchObject({ status: 200, body: { onHand: 6, available: 4, reserved: 2 } })
  })

  it('never falls below what orders hold', async () => {
    const api = openOrdersApi(ledger)
    const sku = aFreshSku()
    await putStock(api, sku, { onHand: 5 })
    await api.put(aFreshOrderNo(), anOrderBody({ lines: [aLine(sku, 3)] }))

    const below = await putStock(api, sku, { onHand: 2 }, { 'if-match': '"1"' })
    const least = await putStock(api, sku, { onHand: 3 }, { 'if-match': '"1"' })

    expect(below).toMatchObject({ status: 409, body: { code: 'STOCK_BELOW_TAKEN' } })
    expect(fieldsOf(below)).toEqual(['onHand'])
    expect(least).toMatchObject({ status: 200, body: { onHand: 3, available: 0, reserved: 3 } })
  })

  it('with fewer buckets moves what the others could still give', async () => {
    const api = openOrdersApi(ledger)
    const sku = aFreshSku()
    await putStock(api, sku, { onHand: 20, buckets: 10 })
    await api.put(aFreshOrderNo(), anOrderBody({ lines: [aLine(sku, 3)] }))

    const fewer = await putStock(api, sku, { onHand: 20, buckets: 2 }, { 'if-match': '"1"' })
    const more = await putStock(api, sku, { onHand: 30, buckets: 3 }, { 'if-match': '"2"' })

    expect(fewer.body).toMatchObject({ onHand: 20, available: 17, reserved: 3, buckets: 2 })
    expect(more.body).toMatchObject({ onHand: 30, available: 27, reserved: 3, buckets: 3 })
    const held = (await bucketsOf({ ledger }, sku)).filter(({ available }) => available > 0)
    expect(held.map(({ bucket }) => bucket)).toEqual([0, 1, 2])
  })

  it('keeps count while orders take from it', async () => {
    const api = openOrdersApi(ledger)
    const sku = aFreshSku()
    await putStock(api, sku, { onHand: 40, buckets: 4 })

    const answers = await Promise.all([
      putStock(api, sku, { onHand: 20 }, { 'if-match': '"1"' }),
      ...Array.from({ length: 12 }, () => api.put(aFreshOrderNo(), anOrderBody({ lines: [aLine(sku)] }))),
    ])

    expect(answers.map(({ status }) => status)).toEqual([200, ...Array(12).fill(201)])
    expect(await totalsOf(api, sku)).toEqual({ onHand: 20, available: 8, reserved: 12, sold: 0 })
  })
})

describe('what a sku is', () => {
  it('never changes its kind', async () => {
    const api = openOrdersApi(ledger)
    const sku = aFreshSku()
    await putStock(api, sku, { onHand: 5 })

    const answer = await putStock(api, sku, { kind: 'card-code' }, { 'if-match': '"1"' })

    expect(answer).toMatchObject({ status: 409, body: { code: 'STOCK_KIND_DIFFERS' } })
  })

  it('keeps what a later request does not name', async () => {
    const api = openOrdersApi(ledger)
    const sku = aFreshSku()
    await putStock(api, sku, { onHand: 5, interfaces: ['webhook:backup', 'webhook'], buckets: 3 })

    const answer = await putStock(api, sku, { onHand: 6 }, { 'if-match': '"1"' })

    expect(answer.body).toMatchObject({ interfaces: ['webhook:backup', 'webhook'], buckets: 3 })
  })

  it.each([
    ['a count below zero', { onHand: -1 }, 'onHand'],
    ['half a unit', { onHand: 0.5 }, 'onHand'],
    ['no count', {}, 'onHand'],
    ['a count of codes', { kind: 'card-code', onHand: 3 }, 'onHand'],
    ['another kind', { kind: 'air', onHand: 1 }, 'kind'],
    ['no bucket', { onHand: 1, buckets: 0 }, 'buckets'],
    ['too many buckets', { onHand: 1, buckets: 21 }, 'buckets'],
    ['no interface', { onHand: 1, interfaces: [] }, 'interfaces'],
    ['an interface twice', { onHand: 1, interfaces: ['webhook', 'webhook'] }, 'interfaces'],
    ['an interface of no form', { onHand: 1, interfaces: ['mail'] }, 'interfaces[0]'],
    ['an interface that is not configured', { onHand: 1, interfaces: ['webhook', 'webhook:x'] }, 'interfaces[1]'],
    ['codes for goods', { onHand: 1, interfaces: ['card-code'] }, 'interfaces'],
    ['a sku of codes without them', { kind: 'card-code', interfaces: ['webhook'] }, 'interfaces'],
  ])('is refused with %s', async (_, body, field) => {
    const answer = await putStock(openOrdersApi(ledger), aFreshSku(), body)

    expect(answer).toMatchObject({ status: 422, body: { code: 'VALIDATION_FAILED' } })
    expect(fieldsOf(answer)).toEqual([field])
  })
})
