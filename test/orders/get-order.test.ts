import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { orderFileView } from '../../functions/orders/view-schemas.ts'
import { plusMs } from '../../modules/core/instant.ts'
import { recordCallback } from '../../modules/ledger/callback/record-callback.ts'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { rowIsNew } from '../../modules/ledger/table/conditions.ts'
import { orderPk, taskSk } from '../../modules/ledger/table/keys.ts'
import { taskNoOf } from '../../modules/ledger/table/names.ts'
import { claimWrites, planClaim } from '../../modules/ledger/task/claim-task.ts'
import { aChannel } from '../support/core-builders.ts'
import { openTestLedger } from '../support/ledger.ts'
import { rawPut, rawUpdate } from '../support/raw-writes.ts'
import { aFreshOrderNo, anOrderBody, fieldsOf, NOW, openOrdersApi } from './orders-api.ts'

const { ledger } = await openTestLedger()
const api = openOrdersApi(ledger)

/** An order with a row of most types: two lines, two attempts, a callback, and a query that ran three times. */
async function aFullOrder() {
  const orderNo = aFreshOrderNo()
  await api.put(
    orderNo,
    anOrderBody({
      lines: [
        { sku: 'A', quantity: 1 },
        { sku: 'B', quantity: 2 },
      ],
    }),
  )
  await api.pay(orderNo, { channel: 'alipay' })
  await api.pay(orderNo, { channel: 'stripe' })
  await recordCallback(
    ledger,
    orderPk(orderNo),
    {
      channel: aChannel(),
      eventId: 'event-1',
      receivedAt: NOW,
      keyId: 'secret-key-id',
      headers: { signature: 'secret-signature' },
      bodySha256: 'ab'.repeat(32),
      raw: { gzip: new TextEncoder().encode('secret-body') },
    },
    NOW,
  )
  for (let run = 0; run < 3; run++) await runQuery(orderNo)
  return orderNo
}

/** One claim of the alipay query, with its attempt row. */
async function runQuery(orderNo: ReturnType<typeof aFreshOrderNo>) {
  const sk = taskSk(taskNoOf('QUERY_PAYMENT', `alipay/${orderNo}`))
  const task = (await readOrderFile(ledger, orderNo)).tasks.find((row) => row.sk === sk)
  if (task === undefined) throw new Error('The order has no query task.')
  const now = plusMs(NOW, 60_000)
  const claim = planClaim(task, 'worker-1', 120_000, now)
  const attempt = { target: 'https://channel.test', idempotencyKey: task.idempotencyKey }
  await commit(ledger, claimWrites({ task: task, effectOn: undefined }, claim, attempt, now), now)
  await commit(ledger, [rawUpdate(task, { set: { status: 'WAITING' } })], now)
}

const readFile = async (orderNo: string, query?: Record<string, string>) => {
  const answer = await api.get(orderNo, query)
  expect(answer.status).toBe(200)
  return { ...answer, file: z.strictObject(orderFileView.shape).parse(answer.body) }
}

describe('an order’s file', () => {
  it('has every row of the order, attempts with their task', async () => {
    const orderNo = await aFullOrder()

    const { file } = await readFile(orderNo)

    expect(file.order).toMatchObject({ orderNo, status: 'PAYING', revision: 3 })
    expect(file.lines.map(({ sku, quantity }) => [sku, quantity])).toEqual([
      ['A', 1],
      ['B', 2],
    ])
    expect(file.payAttempts.map(({ channel, outTradeNo }) => [channel, outTradeNo])).toEqual([
      ['alipay', orderNo],
      ['stripe', orderNo],
    ])
    expect(file.journal.map(({ from, to }) => [from, to])).toEqual([
      ['', 'WAIT_PAY'],
      ['WAIT_PAY', 'PAYING'],
    ])
    expect(file.callbacks).toMatchObject([{ channel: 'alipay', eventId: 'event-1', verdict: 'received', seen: 1 }])
    expect(file.tasks.map(({ bizType }) => bizType).sort()).toEqual(['CLOSE_ORDER', 'QUERY_PAYMENT', 'QUERY_PAYMENT'])
    const asked = file.tasks.find(({ bizNo }) => bizNo === `alipay/${orderNo}`)
    expect(asked?.attempts.map(({ no }) => no)).toEqual([1, 2, 3])
    expect(file).not.toHaveProperty('nextCursor')
  })

  it('shows no raw body, signature, key or index attribute', async () => {
    const orderNo = await aFullOrder()

    const { text } = await readFile(orderNo)

    const hidden = [
      'secret',
      'c2VjcmV0',
      'raw',
      'headers',
      'keyId',
      'duePk',
      'dueAt',
      'findPk',
      'wake',
      'lockedBy',
      'contentHash',
    ]
    expect(hidden.filter((word) => text.includes(word))).toEqual([])
    expect(text).not.toMatch(/"(pk|sk|et|v|fence)":/)
  })

  it.each([1, 2, 3, 200])('read by pages of %i has each row once', async (limit) => {
    const orderNo = await aFullOrder()
    const { file: whole } = await readFile(orderNo)

    const pages: z.output<typeof orderFileView>[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; cursor = pages.at(-1)?.nextCursor) {
      pages.push((await readFile(orderNo, { limit: String(limit), ...(cursor !== '' && { cursor }) })).file)
    }

    expect(pages.every(({ order }) => order.orderNo === orderNo)).toBe(true)
    // Eleven rows, the order's own among them; a page that ends on the last one cannot know it. Attempts take no place.
    expect(pages.length).toBeLessThanOrEqual(Math.ceil(11 / limit) + 1)
    for (const part of ['lines', 'payAttempts', 'journal', 'callbacks', 'tasks'] as const) {
      expect(pages.flatMap((page): readonly unknown[] => page[part])).toEqual(whole[part])
    }
  })

  it('passes over rows of a later release', async () => {
    const orderNo = await aFullOrder()
    const item = { pk: orderPk(orderNo), sk: 'DEC#X#001', et: 'DECISION' }
    await commit(ledger, [rawPut(item, rowIsNew)], NOW)

    expect((await api.get(orderNo)).status).toBe(200)
  })
})

describe('an order that does not exist', () => {
  it('is answered 404, also when only its callbacks are there', async () => {
    const orderNo = aFreshOrderNo()
    const kept = {
      channel: aChannel(),
      eventId: 'e',
      receivedAt: NOW,
      keyId: 'k',
      headers: {},
      bodySha256: 'ab'.repeat(32),
    }
    await recordCallback(ledger, orderPk(orderNo), { ...kept, raw: { gzip: new Uint8Array([1]) } }, NOW)

    const answer = await api.get(orderNo)

    expect(answer.status).toBe(404)
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(answer.body).toEqual({
      type: 'urn:backstop:problem:ORDER_NOT_FOUND',
      title: 'No such order',
      status: 404,
      code: 'ORDER_NOT_FOUND',
      detail: expect.stringContaining(orderNo),
    })
  })
})

describe('a wrong page', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  it.each(['0', '-1', '201', '1.5', 'all', '', '1e2'])('limit %s is refused', async (limit) => {
    const orderNo = await aFullOrder()

    const answer = await api.get(orderNo, { limit })

    expect(answer.status).toBe(422)
    expect(fieldsOf(answer)).toEqual(['limit'])
  })

  it.each([
    '',
    'x',
    '%%%',
    encode({ v: 1 }),
    encode({ v: 2, orderNo: 'ORDER-1', after: 'A' }),
    encode({ v: 1, orderNo: 'ORDER-1', after: 'A' }),
    encode(['ORDER']),
    'A'.repeat(3000),
  ])('cursor %s is refused', async (cursor) => {
    const orderNo = aFreshOrderNo()
    await api.put(orderNo, anOrderBody())

    const answer = await api.get(orderNo, { cursor })

    expect(answer.status).toBe(422)
    expect(fieldsOf(answer)).toEqual(['cursor'])
  })

  it('a cursor of another order is refused', async () => {
    const [a, b] = [await aFullOrder(), await aFullOrder()]
    const { file } = await readFile(a, { limit: '1' })

    const answer = await api.get(b, { cursor: String(file.nextCursor) })

    expect(answer.status).toBe(422)
  })
})
