import { afterEach, expect, it } from 'vitest'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { MAX_LINES, MAX_OPEN_PAY_ATTEMPTS } from '../../modules/ledger/table/limits.ts'
import { openTestLedger } from '../support/ledger.ts'
import { aFreshSku, aLine, bucketsOf, linesOf, payOrder, putStock, totalsOf } from '../support/stock-builders.ts'
import { findStockFaults } from '../support/stock-invariants.ts'
import { openWorld } from '../support/world.ts'
import { type ApiAnswer, aFreshOrderNo, anOrderBody, fieldsOf, type OrdersApi, openOrdersApi } from './orders-api.ts'

const { ledger } = await openTestLedger()

afterEach(async () => {
  expect(await findStockFaults(ledger)).toEqual([])
})

/** As a merchant does: what was answered 503 is sent again. */
async function insist(api: OrdersApi, orderNo: string, body: unknown): Promise<ApiAnswer> {
  const answer = await api.put(orderNo, body)
  return answer.status === 503 ? insist(api, orderNo, body) : answer
}

it('of 50 orders at once over 20 buckets of 30 units in all, exactly 30 win', async () => {
  const api = openOrdersApi(ledger)
  const sku = aFreshSku()
  await putStock(api, sku, { onHand: 30, buckets: 20 })

  const answers = await Promise.all(
    Array.from({ length: 50 }, () => insist(api, aFreshOrderNo(), anOrderBody({ lines: [aLine(sku)] }))),
  )

  const won = answers.filter(({ status }) => status === 201)
  const lost = answers.filter(({ status }) => status === 409)
  expect([won.length, lost.length]).toEqual([30, 20])
  expect(new Set(lost.map(({ body }) => body['code']))).toEqual(new Set(['OUT_OF_STOCK']))
  expect(await totalsOf(api, sku)).toEqual({ onHand: 30, available: 0, reserved: 30, sold: 0 })
})

it('an order larger than any bucket is taken from several', async () => {
  const api = openOrdersApi(ledger)
  const sku = aFreshSku()
  const orderNo = aFreshOrderNo()
  await putStock(api, sku, { onHand: 20, buckets: 10 })

  const answer = await api.put(orderNo, anOrderBody({ lines: [aLine(sku, 7)] }))

  expect(answer.status).toBe(201)
  const [line] = await linesOf({ ledger }, orderNo)
  expect(line?.taken?.map(({ qty }) => qty)).toEqual([2, 2, 2, 1])
  expect(await totalsOf(api, sku)).toEqual({ onHand: 20, available: 13, reserved: 7, sold: 0 })
})

it('an order larger than all that is there names the sku and writes nothing', async () => {
  const api = openOrdersApi(ledger)
  const [plenty, scarce] = [aFreshSku(), aFreshSku()]
  const orderNo = aFreshOrderNo()
  await putStock(api, plenty, { onHand: 20 })
  await putStock(api, scarce, { onHand: 4 })

  const answer = await api.put(orderNo, anOrderBody({ lines: [aLine(plenty, 2), aLine(scarce, 5)] }))

  expect(answer).toMatchObject({ status: 409, body: { code: 'OUT_OF_STOCK' } })
  expect(String(answer.body['detail'])).toContain(scarce)
  expect(fieldsOf(answer)).toEqual(['lines[1].quantity'])
  expect((await api.get(orderNo)).status).toBe(404)
  expect(await totalsOf(api, plenty)).toMatchObject({ available: 20, reserved: 0 })
})

it('two lines of one sku share a bucket and are counted together', async () => {
  const api = openOrdersApi(ledger)
  const sku = aFreshSku()
  await putStock(api, sku, { onHand: 5, buckets: 1 })

  const both = await api.put(aFreshOrderNo(), anOrderBody({ lines: [aLine(sku, 2), aLine(sku, 2)] }))
  const tooMany = await api.put(aFreshOrderNo(), anOrderBody({ lines: [aLine(sku), aLine(sku)] }))

  expect(both.status).toBe(201)
  expect(tooMany).toMatchObject({ status: 409, body: { code: 'OUT_OF_STOCK' } })
  expect(await totalsOf(api, sku)).toMatchObject({ available: 1, reserved: 4 })
})

it('a sku that is not counted can be ordered in any quantity', async () => {
  const api = openOrdersApi(ledger)
  const orderNo = aFreshOrderNo()

  const answer = await api.put(orderNo, anOrderBody({ lines: [aLine(aFreshSku(), 1000)] }))

  expect(answer.status).toBe(201)
  expect((await linesOf({ ledger }, orderNo))[0]).not.toHaveProperty('taken')
})

it('an order that is sent again reserves nothing more, even the last unit and at the same moment', async () => {
  const api = openOrdersApi(ledger)
  const sku = aFreshSku()
  const orderNo = aFreshOrderNo()
  await putStock(api, sku, { onHand: 1 })
  const body = anOrderBody({ lines: [aLine(sku)] })

  const answers = await Promise.all(Array.from({ length: 6 }, () => insist(api, orderNo, body)))
  const later = await api.put(orderNo, body)

  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201])
  expect(later.status).toBe(200)
  expect(await totalsOf(api, sku)).toEqual({ onHand: 1, available: 0, reserved: 1, sold: 0 })
})

it('orders of one sku start at buckets of their own', async () => {
  const api = openOrdersApi(ledger)
  const sku = aFreshSku()
  await putStock(api, sku, { onHand: 1000, buckets: 20 })

  for (let count = 0; count < 40; count++) await api.put(aFreshOrderNo(), anOrderBody({ lines: [aLine(sku)] }))

  const used = (await bucketsOf({ ledger }, sku)).filter(({ reserved }) => reserved > 0)
  expect(used.length).toBeGreaterThan(8)
})

it('a line takes on the ways of delivery that its sku has now', async () => {
  const api = openOrdersApi(ledger)
  const sku = aFreshSku()
  const orderNo = aFreshOrderNo()
  await putStock(api, sku, { onHand: 9, interfaces: ['webhook:backup', 'webhook'] })
  await api.put(orderNo, anOrderBody({ lines: [aLine(sku)] }))

  await putStock(api, sku, { onHand: 9, interfaces: ['webhook'] }, { 'if-match': '"1"' })

  expect((await linesOf({ ledger }, orderNo))[0]?.interfaces).toEqual(['webhook:backup', 'webhook'])
})

it('more than 20 codes in one line are refused: they are bound in one transaction', async () => {
  const api = openOrdersApi(ledger)
  const sku = aFreshSku()
  await putStock(api, sku, { kind: 'card-code' })

  const answer = await api.put(aFreshOrderNo(), anOrderBody({ lines: [aLine(sku, 21)] }))

  expect(answer).toMatchObject({ status: 422, body: { code: 'VALIDATION_FAILED' } })
  expect(fieldsOf(answer)).toEqual(['lines[0].quantity'])
})

it('an order that one transaction could not book is refused, and the largest that is taken is booked', async () => {
  const api = openOrdersApi(ledger)
  const world = await openWorld()
  const skus = Array.from({ length: 27 }, aFreshSku)
  for (const sku of skus) await putStock(api, sku, { onHand: 9, buckets: 1 })
  const lines = skus.map((sku) => aLine(sku))
  const orderNo = aFreshOrderNo()

  const tooLarge = await api.put(aFreshOrderNo(), anOrderBody({ lines }))
  const untracked = await api.put(aFreshOrderNo(), anOrderBody({ lines: Array(MAX_LINES).fill(aLine(aFreshSku())) }))
  const taken = await api.put(orderNo, anOrderBody({ lines: lines.slice(1) }))
  for (let count = 0; count < MAX_OPEN_PAY_ATTEMPTS; count++) await api.pay(orderNo, { channel: 'alipay' })
  await payOrder(world, orderNo)

  expect(tooLarge).toMatchObject({ status: 422, body: { code: 'VALIDATION_FAILED' } })
  expect(fieldsOf(tooLarge)).toEqual(['lines'])
  expect([untracked.status, taken.status]).toEqual([201, 201])
  expect((await readOrderFile(ledger, orderNo)).order?.status).toBe('PAID')
})
