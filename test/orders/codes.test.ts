import { afterEach, describe, expect, it } from 'vitest'
import { readCodeKeys } from '../../modules/codes/code-keys.ts'
import { sealCode } from '../../modules/codes/seal-code.ts'
import { codePk } from '../../modules/ledger/table/keys.ts'
import { openTestLedger } from '../support/ledger.ts'
import { readCollectionRows, writtenOut } from '../support/ledger-rows.ts'
import {
  addCodes,
  aFreshSku,
  aLine,
  bucketsOf,
  codesNamed,
  getCodes,
  losingFirstAnswer,
  putStock,
  totalsOf,
} from '../support/stock-builders.ts'
import { findStockFaults } from '../support/stock-invariants.ts'
import { aFreshOrderNo, anOrderBody, CODE_KEYS, fieldsOf, type OrdersApi, openOrdersApi } from './orders-api.ts'

const { ledger } = await openTestLedger()

afterEach(async () => {
  expect(await findStockFaults(ledger)).toEqual([])
})

async function aCardSku(api: OrdersApi) {
  const sku = aFreshSku()
  await putStock(api, sku, { kind: 'card-code' })
  return sku
}

describe('codes that are taken in', () => {
  it('raise what is on hand by as many', async () => {
    const api = openOrdersApi(ledger)
    const sku = await aCardSku(api)

    const answer = await addCodes(api, sku, codesNamed('A', 500))

    expect(answer).toMatchObject({ status: 200, body: { sku, added: 500, known: 0 } })
    expect(await totalsOf(api, sku)).toEqual({ onHand: 500, available: 500, reserved: 0, sold: 0 })
    expect((await bucketsOf({ ledger }, sku)).filter(({ available }) => available === 0)).toEqual([])
  })

  it('are known when they come again, also twice in one request', async () => {
    const api = openOrdersApi(ledger)
    const sku = await aCardSku(api)
    await addCodes(api, sku, ['X-1', 'X-2'])

    const answer = await addCodes(api, sku, ['X-2', 'X-3', 'X-3'])

    expect(answer.body).toMatchObject({ added: 1, known: 2 })
    expect((await totalsOf(api, sku)).onHand).toBe(3)
  })

  it('from a file of Windows are the codes alone: its marks make no second one', async () => {
    const api = openOrdersApi(ledger)
    const sku = await aCardSku(api)

    const answer = await addCodes(api, sku, ['\ufeffW-1\r', 'W 2\r\n', '\tW-1', 'W-1\u200b'])

    expect(answer.body).toMatchObject({ added: 2, known: 2 })
    expect((await addCodes(api, sku, ['W-1', 'W 2', ' W 2'])).body).toMatchObject({ added: 0, known: 3 })
  })

  it('are refused together, by index, when a line is empty or has something invisible inside', async () => {
    const api = openOrdersApi(ledger)
    const sku = await aCardSku(api)

    const answer = await addCodes(api, sku, ['OK-1', '\r\n', 'SECRET\u0000PART'])

    expect(answer.status).toBe(422)
    expect(fieldsOf(answer)).toEqual(['codes.1', 'codes.2'])
    expect(JSON.stringify(answer.body)).not.toContain('SECRET')
    expect((await totalsOf(api, sku)).onHand).toBe(0)
  })

  it('by three at the same moment are each added once', async () => {
    const api = openOrdersApi(ledger)
    const sku = await aCardSku(api)
    const codes = codesNamed('C', 90)

    const answers = await Promise.all([
      addCodes(api, sku, codes),
      addCodes(api, sku, codes.toReversed()),
      addCodes(api, sku, codes.slice(30)),
    ])

    const added = answers.map(({ body }) => Number(body['added'] ?? 0))
    expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true)
    const rest = await addCodes(api, sku, codes)
    expect(added.reduce((sum, count) => sum + count, 0) + Number(rest.body['added'])).toBe(90)
    expect((await totalsOf(api, sku)).onHand).toBe(90)
  })

  it('are all there and counted once when the answer of the ledger was lost', async () => {
    const api = openOrdersApi(ledger)
    const sku = await aCardSku(api)
    const codes = codesNamed('L', 60)

    const first = await addCodes(openOrdersApi(losingFirstAnswer(ledger)), sku, codes)
    const again = await addCodes(api, sku, codes)

    expect(first.status).toBe(503)
    expect(again.body).toMatchObject({ added: 20, known: 40 })
    expect((await totalsOf(api, sku)).onHand).toBe(60)
  })

  it('stand in the ledger as ciphertext alone', async () => {
    const api = openOrdersApi(ledger)
    const sku = await aCardSku(api)
    await addCodes(api, sku, ['PLANTED-SECRET'])

    const rows = await readCollectionRows(ledger, codePk(sku))

    expect(rows).toHaveLength(1)
    expect(writtenOut(rows)).not.toContain('PLANTED')
    expect(rows[0]).toMatchObject({
      et: 'CODE',
      keyId: 'k1',
      codeId: sealCode(readCodeKeys(CODE_KEYS), sku, 'PLANTED-SECRET').codeId,
    })
  })

  it.each([
    ['none', []],
    ['more than 500', codesNamed('M', 501)],
    ['one that is empty', ['A', '']],
    ['one that is too long', ['A'.repeat(257)]],
    ['one that is no text', [42]],
  ])('are refused when there are %s, without being repeated', async (_, codes) => {
    const api = openOrdersApi(ledger)
    const sku = await aCardSku(api)

    const answer = await addCodes(api, sku, codes)

    expect(answer).toMatchObject({ status: 422, body: { code: 'VALIDATION_FAILED' } })
    expect(fieldsOf(answer)[0]).toMatch(/^codes/)
    expect((await totalsOf(api, sku)).onHand).toBe(0)
  })

  it('are taken in with the longest text that is permitted, each character escaped', async () => {
    const api = openOrdersApi(ledger)
    const sku = await aCardSku(api)
    const codes = codesNamed('', 500).map((tail) => '密'.repeat(256 - tail.length) + tail)
    const body = `{"codes":${JSON.stringify(codes).replaceAll('密', '\\u5bc6')}}`

    const answer = await api.send('POST /stock/{sku}/codes', { path: { sku }, body })

    expect(answer.body).toMatchObject({ added: 500 })
  })

  it('need a sku of that kind', async () => {
    const api = openOrdersApi(ledger)
    const goods = aFreshSku()
    await putStock(api, goods, { onHand: 1 })

    expect(await addCodes(api, goods, ['A'])).toMatchObject({ status: 409, body: { code: 'STOCK_KIND_DIFFERS' } })
    expect(await addCodes(api, aFreshSku(), ['A'])).toMatchObject({ status: 404, body: { code: 'STOCK_NOT_FOUND' } })
  })
})

describe('a sku of codes', () => {
  it('can be ordered as often as it has codes', async () => {
    const api = openOrdersApi(ledger)
    const sku = await aCardSku(api)
    await addCodes(api, sku, ['A', 'B'])

    const fits = await api.put(aFreshOrderNo(), anOrderBody({ lines: [aLine(sku, 2)] }))
    const tooMany = await api.put(aFreshOrderNo(), anOrderBody({ lines: [aLine(sku)] }))

    expect([fits.status, tooMany.status]).toEqual([201, 409])
  })

  it('keeps its count when its settings change', async () => {
    const api = openOrdersApi(ledger)
    const sku = await aCardSku(api)
    await addCodes(api, sku, codesNamed('S', 12))

    const answer = await putStock(api, sku, { buckets: 3, interfaces: ['card-code', 'webhook'] }, { 'if-match': '"1"' })

    expect(answer.body).toMatchObject({ onHand: 12, available: 12, buckets: 3 })
    expect(await totalsOf(api, sku)).toEqual({ onHand: 12, available: 12, reserved: 0, sold: 0 })
  })
})

it('the codes of an order that does not exist are not found', async () => {
  const answer = await getCodes(openOrdersApi(ledger), aFreshOrderNo())

  expect(answer).toMatchObject({ status: 404, body: { code: 'ORDER_NOT_FOUND' } })
})

it('an order that waits for its payment shows no codes', async () => {
  const api = openOrdersApi(ledger)
  const sku = await aCardSku(api)
  const orderNo = aFreshOrderNo()
  await addCodes(api, sku, ['A'])
  await api.put(orderNo, anOrderBody({ lines: [aLine(sku)] }))

  expect((await getCodes(api, orderNo)).body).toEqual({ orderNo, lines: [] })
})
