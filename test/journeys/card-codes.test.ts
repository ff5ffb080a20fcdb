import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, afterEach, expect, it } from 'vitest'
import { z } from 'zod'
import { startStack } from '../../local/host/stack.ts'
import { type Answer, aMerchant, aStateDir, journeyOn, journeyOptions, MERCHANT_SCOPES } from '../support/journey.ts'
import { openClient, openLedgerOn } from '../support/ledger.ts'
import { allowSeconds } from '../support/patience.ts'
import { findStockFaults } from '../support/stock-invariants.ts'

allowSeconds(120)
const merchant = await aMerchant()
const { parameters, ...options } = journeyOptions(aStateDir(afterAll), merchant.url)
const lines: string[] = []
const stack = await startStack({
  ...options,
  parameters: { ...parameters, DeliveryInterfaces: JSON.stringify({ backup: `${merchant.url}/backup` }) },
  onLog: ({ line }) => void lines.push(line),
})
afterAll(() => stack.stop())
const { putOrder, pay, file } = await journeyOn(stack, merchant)

const client: DynamoDBClient = openClient(stack.dynamodbEndpoint)
afterAll(() => client.destroy())
const [tableName = ''] = Object.entries(stack.tableNames).flatMap(([id, name]) =>
  id.startsWith('Ledger') ? [name] : [],
)

afterEach(async () => {
  expect(await findStockFaults(openLedgerOn(client, tableName))).toEqual([])
})

const STOCK_SCOPES = ['backstop/stock.write', 'backstop/stock.read', 'backstop/codes.read']
const tokenOf = (scopes: readonly string[]) => stack.issue({ scopes: [...scopes] })
const token = await tokenOf(STOCK_SCOPES)

async function call(method: string, path: string, body?: object, bearer = token): Promise<Answer> {
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
  const answer = await fetch(`${stack.url}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: await answer.text() }
}

const shownBy = (answer: Answer) =>
  z
    .object({ lines: z.array(z.object({ codes: z.array(z.string()) })) })
    .parse(JSON.parse(answer.body))
    .lines.flatMap(({ codes }) => codes)

it('a paid order of codes gets codes of the pool, which its one route shows to who may read them', async () => {
  await call('PUT', '/stock/GIFT-50', { kind: 'card-code' })
  const added = await call('POST', '/stock/GIFT-50/codes', { codes: ['PLANTED-A', 'PLANTED-B', 'PLANTED-C'] })
  await putOrder('CODES-1', { lines: [{ sku: 'GIFT-50', quantity: 2 }] })

  await pay({ outTradeNo: 'CODES-1', txn: 'codes-1' })

  const shown = await call('GET', '/orders/CODES-1/codes')
  const refused = await call('GET', '/orders/CODES-1/codes', undefined, await tokenOf(MERCHANT_SCOPES))
  const stock: unknown = JSON.parse((await call('GET', '/stock/GIFT-50')).body)
  expect(JSON.parse(added.body)).toEqual({ sku: 'GIFT-50', added: 3, known: 0 })
  expect((await file('CODES-1')).order.status).toBe('DELIVERED')
  expect(shownBy(shown)).toHaveLength(2)
  expect(shownBy(shown).every((code) => code.startsWith('PLANTED-'))).toBe(true)
  expect(refused.status).toBe(403)
  expect(stock).toMatchObject({ onHand: 3, available: 1, reserved: 0, sold: 2 })
  expect(merchant.deliveries('CODES-1')).toEqual([])
  expect(JSON.stringify([lines, await file('CODES-1')])).not.toContain('PLANTED')
})

it('an order that nobody pays gives its goods back when it closes', async () => {
  await call('PUT', '/stock/LAST-ONE', { onHand: 1 })
  await putOrder('UNPAID-1', { lines: [{ sku: 'LAST-ONE', quantity: 1 }] })
  const tooLate = await putOrder('WAITS-1', { lines: [{ sku: 'LAST-ONE', quantity: 1 }] })

  await stack.leapBy(20 * 60_000)
  const again = await putOrder('WAITS-1', { lines: [{ sku: 'LAST-ONE', quantity: 1 }] })

  expect(JSON.parse(tooLate.body)).toMatchObject({ status: 409, code: 'OUT_OF_STOCK' })
  expect((await file('UNPAID-1')).lines).toMatchObject([{ state: 'RELEASED' }])
  expect(again.status).toBe(201)
})

it('a webhook that refuses for good hands over to the pool at once, under the same delivery number', async () => {
  await call('PUT', '/stock/GIFT-60', { kind: 'card-code', interfaces: ['webhook:backup', 'card-code'] })
  await call('POST', '/stock/GIFT-60/codes', { codes: ['PLANTED-D'] })
  await putOrder('SWITCH-1', { lines: [{ sku: 'GIFT-60', quantity: 1 }] })
  merchant.answer('SWITCH-1', 410)

  await pay({ outTradeNo: 'SWITCH-1', txn: 'switch-1' })

  const after = await file('SWITCH-1')
  const attempts = after.tasks.flatMap((task) => (task.bizType === 'DELIVER' ? task.attempts : []))
  expect(attempts.map(({ target, outcome }) => [target, outcome])).toEqual([
    [merchant.url, 'rejected'],
    ['card-code', 'done'],
  ])
  expect(new Set(attempts.map(({ idempotencyKey }) => idempotencyKey))).toEqual(new Set([after.lines[0]?.deliveryNo]))
  expect(shownBy(await call('GET', '/orders/SWITCH-1/codes'))).toEqual(['PLANTED-D'])
})
