import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openS3 } from '../../local/engines/s3/open-s3.ts'
import { parseOrderNo } from '../../modules/core/ids.ts'
import { orphanPk } from '../../modules/ledger/table/keys.ts'
import { type RawStore, unpackRaw } from '../../modules/raw-store/raw-store.ts'
import { serveEngine } from '../local/engines/s3/serve-engine.ts'
import { sure } from '../support/core-builders.ts'
import { withFaults } from '../support/faults.ts'
import {
  collectionOf,
  fileOf,
  freshOrderNo,
  paid,
  putOrder,
  putPayingOrder,
  taskOf,
  tasksOf,
  verdictsOf,
} from '../support/ledger-builders.ts'
import { openWorld, worldOn } from '../support/world.ts'
import { aCallback, BANK, callbackOf } from '../support/world-bank.ts'

const dir = mkdtempSync(join(tmpdir(), 'backstop-raw-'))
let server: Awaited<ReturnType<typeof serveEngine>>
let raw: RawStore

beforeAll(async () => {
  const engine = openS3({ dir, clock: { now: Date.now, onLeap: () => {} } })
  engine.createBucket('raw-callbacks')
  server = await serveEngine(engine)
  const client = new S3Client({
    region: 'us-east-1',
    endpoint: server.url,
    forcePathStyle: true,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })
  raw = { client, bucket: 'raw-callbacks' }
})
afterAll(async () => {
  raw.client.destroy()
  await server.close()
  rmSync(dir, { recursive: true })
})

/** Text that does not compress below 8 KB. */
const noise = (length: number): string =>
  Array.from({ length }, (_, index) => ((index * 2654435761) % 4294967296).toString(36)).join('')

it('a callback that fits stays in its row, with the headers and the key that proved it', async () => {
  const world = await openWorld({ raw })
  const orderNo = await putPayingOrder(world)
  const callback = aCallback(paid(orderNo))

  await world.take(callback)

  const [row] = (await fileOf(world, orderNo)).callbacks
  expect(row).toMatchObject({ keyId: 'v1-0', headers: callback.headers, receivedAt: callback.receivedAt })
  expect(row).not.toHaveProperty('rawKey')
  expect(row === undefined ? undefined : await unpackRaw(raw, row)).toEqual(callback.body)
})

it('a callback over 8 KB goes to the bucket and comes back to the byte', async () => {
  const world = await openWorld({ raw })
  const orderNo = await putPayingOrder(world)
  const callback = aCallback(paid(orderNo), { extra: { note: noise(20_000) } })

  await world.take(callback)

  const file = await fileOf(world, orderNo)
  const [row] = file.callbacks
  expect(file.order?.status).toBe('PAID')
  expect(row?.rawKey).toMatch(/^callbacks\/bank\/2026-03-01\/[0-9a-f]{64}\.gz$/)
  expect(row).not.toHaveProperty('raw')
  expect(row === undefined ? undefined : await unpackRaw(raw, row)).toEqual(callback.body)
})

it('a large callback that came before its order is booked from the bucket', async () => {
  const world = await openWorld({ raw })
  const orderNo = freshOrderNo()
  await world.take(aCallback(paid(orderNo), { extra: { note: noise(20_000) } }))

  await putOrder(world, { orderNo })
  world.clock.advance(1000)
  await world.run(taskOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK'))

  expect((await fileOf(world, orderNo)).order?.status).toBe('PAID')
})

it('a verified callback that nobody can read is kept with a ticket that names the field, once', async () => {
  const world = await openWorld({ raw })
  const callback = aCallback(
    { order_no: 'ORDER-1', txn: 'txn-1', amount: '88.00', currency: 'CNY' },
    { eventId: 'evt-odd' },
  )

  await world.take(callback)
  await world.take(callback)

  const file = await fileOf(world, sure(parseOrderNo('ORDER-1')))
  expect(file.callbacks).toMatchObject([{ verdict: 'unreadable', seen: 2 }])
  expect(taskOf(file, 'REVIEW')).toMatchObject({ status: 'MANUAL', lastErrorCode: 'CALLBACK_UNREADABLE' })
  expect(taskOf(file, 'REVIEW').lastErrorMsg).toContain('amount')
})

it('a verified callback that is no JSON is kept with a ticket', async () => {
  const world = await openWorld({ raw })

  await world.take(callbackOf('<xml>', 'evt-xml'))

  const file = await collectionOf(world, orphanPk(BANK, 'evt-xml'))
  expect(verdictsOf(file)).toEqual(['unreadable'])
  const shared = await collectionOf(world, orphanPk(BANK, 'unreadable/body'))
  expect(tasksOf(shared, 'REVIEW')).toHaveLength(1)
})

it.each([
  ['refunded', 'MONEY_UNDONE'],
  ['disputed', 'DISPUTE'],
])(
  "'%s' by the channel's own word is a ticket, stops what is not delivered and moves nothing",
  async (type, reason) => {
    const world = await openWorld({ raw })
    const orderNo = await putPayingOrder(world)
    const data = paid(orderNo)
    await world.take(aCallback(data))
    const before = await fileOf(world, orderNo)

    await world.take(aCallback({ ...data, amount: 1000 }, { type }))

    const after = await fileOf(world, orderNo)
    const ticket = taskOf(after, 'REVIEW')
    expect(after.order).toMatchObject({
      status: before.order?.status,
      frozen: { taskNo: ticket.taskNo, reason: 'MONEY_UNDONE' },
    })
    expect(after.lines).toEqual(before.lines)
    expect(ticket).toMatchObject({
      lastErrorCode: reason,
      requestSnapshot: { channelTxnId: data.txn, money: { amount: 1000, currency: 'CNY' } },
    })
    expect(verdictsOf(after)).toContain('recorded')
  },
)

it('an event of another kind is kept and decides nothing', async () => {
  const world = await openWorld({ raw })
  const orderNo = await putPayingOrder(world)

  await world.take(aCallback({ order_no: orderNo }, { type: 'customer.updated' }))

  const file = await fileOf(world, orderNo)
  expect(verdictsOf(file)).toEqual(['recorded'])
  expect(file.order?.status).toBe('PAYING')
})

it('when the bucket does not answer, nothing is decided and the message comes again', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)

  await expect(world.take(aCallback(paid(orderNo), { extra: { note: noise(20_000) } }))).rejects.toThrow()

  const file = await fileOf(world, orderNo)
  expect(file.callbacks).toHaveLength(0)
  expect(file.order?.status).toBe('PAYING')
})

it('a callback whose row is part of a transaction at that moment is kept in the same invocation', async () => {
  const world = await openWorld({ raw })
  const orderNo = freshOrderNo()
  let updates = 0
  const ledger = withFaults(world.ledger, ({ command, fail }) => {
    if (command === 'UpdateItemCommand' && ++updates <= 2) fail('conflict')
  })

  await worldOn(ledger, world.clock, world.merchant).take(aCallback(paid(orderNo)))

  expect(updates).toBe(3)
  expect((await fileOf(world, orderNo)).callbacks).toMatchObject([{ verdict: 'parked', seen: 1 }])
})
