import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SendDelivery } from '../../functions/work/delivering/deliver-webhook.ts'
import { deliverHandler } from '../../functions/work/handlers/deliver.ts'
import { runTask } from '../../functions/work/run-task.ts'
import type { OrderNo, Sku } from '../../modules/core/ids.ts'
import { msOf } from '../../modules/core/instant.ts'
import type { Outcome } from '../../modules/core/outcome.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { restockLine } from '../../modules/ledger/stock/restock-line.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { rowExists } from '../../modules/ledger/table/conditions.ts'
import { codePk, orderPk } from '../../modules/ledger/table/keys.ts'
import { drop } from '../../modules/ledger/table/writes.ts'
import { abandonWrites } from '../../modules/ledger/task/sweep-task.ts'
import { aFreshOrderNo, anOrderBody, openOrdersApi } from '../orders/orders-api.ts'
import { sure } from '../support/core-builders.ts'
import { withFaults } from '../support/faults.ts'
import { openTestLedger } from '../support/ledger.ts'
import { fileOf, forceOrder, movesOf, taskOf } from '../support/ledger-builders.ts'
import { readCollectionRows, writtenOut } from '../support/ledger-rows.ts'
import { rawUpdate } from '../support/raw-writes.ts'
import {
  addCodes,
  aFreshSku,
  aLine,
  codesNamed,
  deliveriesOf,
  getCodes,
  linesOf,
  payOrder,
  putStock,
  textsOf,
  totalsOf,
} from '../support/stock-builders.ts'
import { findStockFaults } from '../support/stock-invariants.ts'
import { DELIVERY_URL, messageFor, openWorld, type World, worldOn } from '../support/world.ts'

const { ledger } = await openTestLedger()
/** Skus whose codes a test took away by hand. */
const robbed: string[] = []

afterEach(async () => {
  vi.restoreAllMocks()
  const faults = await findStockFaults(ledger)
  expect(faults.filter((fault) => !robbed.some((sku) => fault.includes(sku)))).toEqual([])
})

const BACKUP_URL = 'https://backup.example/deliver/token-1'

interface Setup {
  readonly codes?: readonly string[]
  readonly quantity?: number
  readonly interfaces?: readonly string[]
}

/** A paid order of one line of a sku of codes. */
async function aPaidCardOrder({ codes = codesNamed('CODE', 5), quantity = 2, interfaces }: Setup = {}) {
  const api = openOrdersApi(ledger)
  const world = await openWorld()
  const sku = aFreshSku()
  const orderNo = aFreshOrderNo()
  await putStock(api, sku, { kind: 'card-code', buckets: 3, ...(interfaces !== undefined && { interfaces }) })
  await addCodes(api, sku, codes)
  await api.put(orderNo, anOrderBody({ lines: [aLine(sku, quantity)] }))
  await payOrder(world, orderNo)
  return { api, world, sku, orderNo }
}

const deliver = async (world: World, orderNo: OrderNo, lockedBy?: string) => {
  const [task] = await deliveriesOf({ ledger }, orderNo)
  await world.run(sure(task), lockedBy)
}

/** Runs the delivery with named webhooks, each told how to answer; returns what was sent where. */
async function deliverBy(world: World, orderNo: OrderNo, answer: (url: string) => Outcome) {
  const sent: Parameters<SendDelivery>[0][] = []
  const handlers = {
    ...world.workDeps.handlers,
    DELIVER: deliverHandler(
      DELIVERY_URL,
      async (delivery) => {
        sent.push(delivery)
        return answer(delivery.url)
      },
      world,
      { backup: BACKUP_URL },
    ),
  }
  const task = sure((await deliveriesOf({ ledger }, orderNo))[0])
  world.clock.set(task.nextExecuteAt)
  await runTask({ ...world.workDeps, handlers }, messageFor(task, world.clock.now()), 'worker-1')
  return sent
}

/** As a hand in the table would: no transaction of ours leaves an order without its codes. */
async function robPool({ clock }: World, sku: Sku) {
  robbed.push(sku)
  const rows = await readCollectionRows(ledger, codePk(sku))
  const free = rows.map((row) => String(row['sk'])).filter((sk) => sk.startsWith('FREE#'))
  const gone = free.map((sk) => drop({ pk: codePk(sku), sk }, rowExists))
  await commit(ledger, gone, clock.now())
}

describe('a delivery by codes', () => {
  it('binds as many as were ordered, delivers the order, and shows them by their one route', async () => {
    const { api, world, sku, orderNo } = await aPaidCardOrder()

    await deliver(world, orderNo)

    const file = await fileOf(world, orderNo)
    const shown = await getCodes(api, orderNo)
    expect(movesOf(file).at(-1)).toBe('PAID>DELIVERED')
    expect(file.lines).toMatchObject([{ state: 'SOLD', deliveredBy: 'card-code', deliveredAt: world.clock.now() }])
    expect(file.attempts).toMatchObject([
      { target: 'card-code', outcome: 'done', idempotencyKey: file.lines[0]?.deliveryNo },
    ])
    expect(shown).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
    expect(new Set(textsOf(shown)).size).toBe(2)
    expect(codesNamed('CODE', 5)).toEqual(expect.arrayContaining([...textsOf(shown)]))
    expect(world.merchant.received).toEqual([])
    expect(await totalsOf(api, sku)).toEqual({ onHand: 5, available: 3, reserved: 0, sold: 2 })
  })

  it('of 20 codes fits its transaction', async () => {
    const { api, world, orderNo } = await aPaidCardOrder({ codes: codesNamed('T', 20), quantity: 20 })

    await deliver(world, orderNo)

    expect([...textsOf(await getCodes(api, orderNo))].sort()).toEqual(codesNamed('T', 20))
  })

  it('leaves no page of the order’s file to codes, and loses no row of it', async () => {
    const { api, world, orderNo } = await aPaidCardOrder({ codes: codesNamed('G', 20), quantity: 20 })
    await deliver(world, orderNo)
    const pages: Record<string, unknown>[] = []
    let cursor: unknown

    do {
      const { body } = await api.get(orderNo, { limit: '3', ...(cursor !== undefined && { cursor: String(cursor) }) })
      pages.push(body)
      cursor = body['nextCursor']
    } while (cursor !== undefined)

    const kinds = ['lines', 'payments', 'journal', 'callbacks', 'tasks']
    const counts = kinds.map((kind) => pages.flatMap((page) => page[kind]).length)
    const { lines, payments, journal, callbacks, tasks } = await fileOf(world, orderNo)
    expect(counts).toEqual([lines, payments, journal, callbacks, tasks].map((rows) => rows.length))
    expect(pages.length).toBeLessThan(6)
  })

  it('by two workers at once binds once', async () => {
    const { api, world, orderNo } = await aPaidCardOrder()

    await Promise.all([deliver(world, orderNo, 'worker-1'), deliver(world, orderNo, 'worker-2')])
    await deliver(world, orderNo, 'worker-3')

    expect(textsOf(await getCodes(api, orderNo))).toHaveLength(2)
    expect((await fileOf(world, orderNo)).attempts).toHaveLength(1)
  })

  it('by a worker whose lease has lapsed binds nothing after the next one has', async () => {
    const { api, world, orderNo } = await aPaidCardOrder()
    let transactions = 0
    const slow = withFaults(ledger, async ({ command }) => {
      if (command !== 'TransactWriteItemsCommand' || ++transactions !== 2) return
      const held = taskOf(await fileOf(world, orderNo), 'DELIVER')
      world.clock.set(sure(held.dueAt))
      await commit(
        ledger,
        abandonWrites(held, sure(held.dueAt), { policies: bindPolicies({}), now: world.clock.now() }),
        world.clock.now(),
      )
      world.clock.set(taskOf(await fileOf(world, orderNo), 'DELIVER').nextExecuteAt)
      await deliver(world, orderNo, 'worker-2')
    })

    await deliver(worldOn(slow, world.clock, world.merchant), orderNo, 'worker-1')

    const file = await fileOf(world, orderNo)
    expect(transactions).toBeGreaterThanOrEqual(2)
    expect(textsOf(await getCodes(api, orderNo))).toHaveLength(2)
    expect(file.attempts.map(({ outcome }) => outcome)).toEqual(['ABANDONED', 'done'])
  })

  it('whose commit was never answered has bound its codes, and the next run adds none', async () => {
    const { api, world, orderNo } = await aPaidCardOrder()
    let transactions = 0
    const dying = withFaults(ledger, async ({ command, proceed, fail }) => {
      if (command !== 'TransactWriteItemsCommand' || ++transactions !== 2) return
      await proceed()
      fail('unavailable')
    })

    await expect(deliver(worldOn(dying, world.clock, world.merchant), orderNo)).rejects.toThrow()
    await deliver(world, orderNo)

    expect(textsOf(await getCodes(api, orderNo))).toHaveLength(2)
    expect(taskOf(await fileOf(world, orderNo), 'DELIVER').status).toBe('SUCCESS')
  })

  it('that loses a code to another order picks others', async () => {
    const { api, world, sku, orderNo } = await aPaidCardOrder({ codes: codesNamed('R', 2), quantity: 1 })
    const other = aFreshOrderNo()
    await api.put(other, anOrderBody({ lines: [aLine(sku)] }))
    await payOrder(world, other)
    let transactions = 0
    // Whatever the first picks, the other takes that one first: its free row goes between look and commit.
    const raced = withFaults(ledger, async ({ command }) => {
      if (command === 'TransactWriteItemsCommand' && ++transactions === 2) await deliver(world, other)
    })

    await deliver(worldOn(raced, world.clock, world.merchant), orderNo)

    const shown = [...textsOf(await getCodes(api, orderNo)), ...textsOf(await getCodes(api, other))]
    expect(shown.sort()).toEqual(codesNamed('R', 2))
  })

  it('of many orders at once gives each code to one of them', async () => {
    const api = openOrdersApi(ledger)
    const world = await openWorld()
    const sku = aFreshSku()
    await putStock(api, sku, { kind: 'card-code' })
    await addCodes(api, sku, codesNamed('P', 15))
    // Five, since a commit is tried five times: each loss is another's win.
    const orders = Array.from({ length: 5 }, aFreshOrderNo)
    for (const orderNo of orders) {
      await api.put(orderNo, anOrderBody({ lines: [aLine(sku, 3)] }))
      await payOrder(world, orderNo)
    }

    await Promise.all(orders.map((orderNo) => deliver(world, orderNo)))

    const shown = (await Promise.all(orders.map((orderNo) => getCodes(api, orderNo)))).flatMap(textsOf)
    expect(shown.sort()).toEqual(codesNamed('P', 15))
  })

  it('of a frozen order binds nothing, also when it was frozen after the claim', async () => {
    const { api, world, orderNo } = await aPaidCardOrder()
    let transactions = 0
    const frozen = {
      taskNo: taskOf(await fileOf(world, orderNo), 'DELIVER').taskNo,
      reason: 'TEST',
      at: world.clock.now(),
    }
    const freezing = withFaults(ledger, async ({ command }) => {
      if (command !== 'TransactWriteItemsCommand' || ++transactions !== 2) return
      await forceOrder(world, orderNo, { frozen })
    })

    await deliver(worldOn(freezing, world.clock, world.merchant), orderNo)

    expect(textsOf(await getCodes(api, orderNo))).toEqual([])
    expect(taskOf(await fileOf(world, orderNo), 'DELIVER')).toMatchObject({
      status: 'RETRY',
      lastErrorCode: 'ORDER_CHANGED',
    })
  })

  it('is final for its goods: shown codes are not sold again', async () => {
    const { world, orderNo } = await aPaidCardOrder()
    await deliver(world, orderNo)

    const restock = restockLine(sure((await linesOf({ ledger }, orderNo))[0]))

    expect(restock).toEqual({ kind: 'refused', reason: 'CODES_SHOWN' })
  })
})

describe('a pool without codes', () => {
  it('has the delivery wait on its ladder, and codes that are taken in wake and deliver it', async () => {
    const { api, world, sku, orderNo } = await aPaidCardOrder()
    await robPool(world, sku)

    await deliver(world, orderNo)
    const waiting = taskOf(await fileOf(world, orderNo), 'DELIVER')
    await addCodes(api, sku, codesNamed('NEW', 2))
    const woken = taskOf(await fileOf(world, orderNo), 'DELIVER')
    world.clock.set(woken.nextExecuteAt)
    await deliver(world, orderNo)

    expect(waiting).toMatchObject({
      status: 'RETRY',
      retryCount: 1,
      lastErrorCode: 'CODE_POOL_EMPTY',
      lastErrorMsg: expect.stringContaining(`2 codes of ${sku}`),
    })
    expect(msOf(waiting.nextExecuteAt) - msOf(world.clock.now())).toBeGreaterThan(0)
    expect(woken).toMatchObject({ requestSnapshot: { wokenBy: 'CODES_TAKEN_IN' }, retryCount: 1 })
    expect(woken.wake).not.toBe(waiting.wake)
    expect([...textsOf(await getCodes(api, orderNo))].sort()).toEqual(codesNamed('NEW', 2))
  })

  it('brings the delivery to a person when its ladder ends, and not before an hour has passed', async () => {
    const { world, sku, orderNo } = await aPaidCardOrder()
    await robPool(world, sku)
    const startedMs = msOf(world.clock.now())
    const task = async () => taskOf(await fileOf(world, orderNo), 'DELIVER')
    const waits: number[] = []

    for (let run = 0; run < 20 && (await task()).status !== 'MANUAL'; run++) {
      const { nextExecuteAt } = await task()
      world.clock.set(nextExecuteAt)
      await deliver(world, orderNo)
      waits.push(msOf((await task()).nextExecuteAt) - msOf(nextExecuteAt))
    }

    expect(await task()).toMatchObject({
      status: 'MANUAL',
      lastErrorCode: 'RETRIES_USED_UP',
      lastErrorMsg: expect.stringContaining(`2 codes of ${sku}`),
    })
    expect(waits[0]).toBeLessThanOrEqual(5 * 60_000)
    expect(msOf(world.clock.now()) - startedMs).toBeGreaterThan(60 * 60_000)
  })

  it('wakes none that waits for another sku, and one order for each code at most', async () => {
    const poor = await aPaidCardOrder({ codes: codesNamed('A', 3), quantity: 1 })
    const orders = [poor.orderNo, aFreshOrderNo(), aFreshOrderNo()]
    for (const orderNo of orders.slice(1)) {
      await poor.api.put(orderNo, anOrderBody({ lines: [aLine(poor.sku)] }))
      await payOrder(poor.world, orderNo)
    }
    const other = await aPaidCardOrder()
    await robPool(poor.world, poor.sku)
    await robPool(other.world, other.sku)
    for (const orderNo of orders) await deliver(poor.world, orderNo)
    await deliver(other.world, other.orderNo)

    await addCodes(poor.api, poor.sku, codesNamed('B', 2))

    const wokenBy = async (orderNo: OrderNo) =>
      taskOf(await fileOf(poor.world, orderNo), 'DELIVER').requestSnapshot?.['wokenBy']
    expect((await Promise.all(orders.map(wokenBy))).filter((by) => by === 'CODES_TAKEN_IN')).toHaveLength(2)
    expect(await wokenBy(other.orderNo)).toBeUndefined()
  })

  it('that is filled by codes that were known already wakes nobody', async () => {
    const { api, world, sku, orderNo } = await aPaidCardOrder({ codes: codesNamed('K', 2) })
    const second = aFreshOrderNo()
    await addCodes(api, sku, codesNamed('L', 2))
    await api.put(second, anOrderBody({ lines: [aLine(sku, 2)] }))
    await payOrder(world, second)
    await deliver(world, orderNo)
    await robPool(world, sku)
    await deliver(world, second)
    const bound = textsOf(await getCodes(api, orderNo))

    await addCodes(api, sku, bound)

    expect(taskOf(await fileOf(world, second), 'DELIVER').requestSnapshot).not.toHaveProperty('wokenBy')
  })

  it('hands over to the next way of delivery at once, under the same id', async () => {
    const { world, sku, orderNo } = await aPaidCardOrder({ interfaces: ['card-code', 'webhook:backup'] })
    await robPool(world, sku)

    const first = await deliverBy(world, orderNo, () => ({ kind: 'done' }))
    const switched = taskOf(await fileOf(world, orderNo), 'DELIVER')
    const second = await deliverBy(world, orderNo, () => ({ kind: 'done' }))

    const file = await fileOf(world, orderNo)
    expect(first).toEqual([])
    expect(switched).toMatchObject({
      status: 'RETRY',
      nextExecuteAt: world.clock.now(),
      wake: world.clock.now(),
      interfaceIndex: 1,
    })
    expect(second).toMatchObject([{ url: BACKUP_URL, id: file.lines[0]?.deliveryNo }])
    expect(file.attempts.map(({ target, outcome, code }) => [target, outcome, code])).toEqual([
      ['card-code', 'rejected', 'CODE_POOL_EMPTY'],
      ['https://backup.example', 'done', undefined],
    ])
    expect(file.lines[0]?.deliveredBy).toBe('webhook:backup')
  })
})

describe('ways of delivery in their order', () => {
  it.each<Outcome>([
    { kind: 'unknown', networkErrorType: 'timeout' },
    { kind: 'transient', networkErrorType: 'connect-refused' },
    { kind: 'notYet', code: 'ACCEPTED_NOT_DONE', httpStatus: 202 },
    { kind: 'misconfigured', code: 'SECRET_MISSING' },
  ])('are not switched on $kind: it may have arrived, or never left', async (outcome) => {
    const { world, orderNo } = await aPaidCardOrder({ interfaces: ['webhook', 'card-code'] })

    const first = await deliverBy(world, orderNo, () => outcome)
    const second = await deliverBy(world, orderNo, () => outcome)

    expect([...first, ...second].map(({ url }) => url)).toEqual([DELIVERY_URL, DELIVERY_URL])
    expect(taskOf(await fileOf(world, orderNo), 'DELIVER')).not.toHaveProperty('interfaceIndex')
  })

  it('end with codes of our own when every webhook refuses', async () => {
    const { api, world, orderNo } = await aPaidCardOrder({ interfaces: ['webhook', 'webhook:backup', 'card-code'] })
    const refuse = (): Outcome => ({ kind: 'rejected', code: 'HTTP_410', httpStatus: 410 })

    const sent = [...(await deliverBy(world, orderNo, refuse)), ...(await deliverBy(world, orderNo, refuse))]
    await deliverBy(world, orderNo, refuse)

    expect(sent.map(({ url }) => url)).toEqual([DELIVERY_URL, BACKUP_URL])
    expect(new Set(sent.map(({ id, body }) => `${id} ${body}`)).size).toBe(1)
    expect(textsOf(await getCodes(api, orderNo))).toHaveLength(2)
  })

  it.each<Outcome>([
    { kind: 'unknown', networkErrorType: 'timeout' },
    { kind: 'notYet', code: 'ACCEPTED_NOT_DONE', httpStatus: 202 },
  ])('end with a person when a refusal follows $kind: it may mean that the goods are there', async (outcome) => {
    const { api, world, orderNo } = await aPaidCardOrder({ interfaces: ['webhook', 'card-code'] })
    await deliverBy(world, orderNo, () => outcome)

    await deliverBy(world, orderNo, () => ({ kind: 'rejected', code: 'HTTP_409', httpStatus: 409 }))

    expect(taskOf(await fileOf(world, orderNo), 'DELIVER')).toMatchObject({
      status: 'MANUAL',
      lastErrorCode: 'HTTP_409',
    })
    expect(textsOf(await getCodes(api, orderNo))).toEqual([])
  })

  it('are switched by a refusal after a connection that was refused: nothing had left', async () => {
    const { world, orderNo } = await aPaidCardOrder({ interfaces: ['webhook', 'webhook:backup', 'card-code'] })
    await deliverBy(world, orderNo, () => ({ kind: 'transient', networkErrorType: 'connect-refused' }))

    await deliverBy(world, orderNo, () => ({ kind: 'rejected', code: 'HTTP_410', httpStatus: 410 }))

    expect(taskOf(await fileOf(world, orderNo), 'DELIVER')).toMatchObject({ status: 'RETRY', interfaceIndex: 1 })
  })

  it('end with a person when the last one refuses', async () => {
    const { world, orderNo } = await aPaidCardOrder({ interfaces: ['card-code', 'webhook'] })
    await forceInterface(world, orderNo, 1)

    await deliverBy(world, orderNo, () => ({ kind: 'rejected', code: 'HTTP_410', httpStatus: 410 }))

    expect(taskOf(await fileOf(world, orderNo), 'DELIVER')).toMatchObject({
      status: 'MANUAL',
      lastErrorCode: 'HTTP_410',
    })
  })

  it('give the codes back that a webhook made needless', async () => {
    const { api, world, sku, orderNo } = await aPaidCardOrder({ interfaces: ['webhook', 'card-code'] })

    await deliverBy(world, orderNo, () => ({ kind: 'done' }))

    expect(await totalsOf(api, sku)).toEqual({ onHand: 5, available: 5, reserved: 0, sold: 0 })
    expect((await linesOf({ ledger }, orderNo))[0]).toMatchObject({ state: 'SOLD', deliveredBy: 'webhook' })
  })

  it('that have lost their address climb their ladder, and nothing goes out', async () => {
    const { world, orderNo } = await aPaidCardOrder({ interfaces: ['webhook:backup', 'card-code'] })

    await deliver(world, orderNo)

    expect(taskOf(await fileOf(world, orderNo), 'DELIVER')).toMatchObject({
      status: 'RETRY',
      retryCount: 1,
      lastErrorCode: 'INTERFACE_NOT_CONFIGURED',
    })
  })

  it('of goods are webhooks alone', async () => {
    const api = openOrdersApi(ledger)
    const world = await openWorld()
    const sku = aFreshSku()
    const orderNo = aFreshOrderNo()
    await putStock(api, sku, { onHand: 3, interfaces: ['webhook:backup'] })
    await api.put(orderNo, anOrderBody({ lines: [aLine(sku)] }))
    await payOrder(world, orderNo)

    const sent = await deliverBy(world, orderNo, () => ({ kind: 'done' }))

    expect(sent.map(({ url }) => url)).toEqual([BACKUP_URL])
    expect(await totalsOf(api, sku)).toEqual({ onHand: 3, available: 2, reserved: 0, sold: 1 })
  })
})

describe('the text of a code', () => {
  it('is in no log line, task, attempt, journal or answer but that of its one route', async () => {
    const written: string[] = []
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0)
    const { api, world, sku, orderNo } = await aPaidCardOrder({ codes: ['PLANTED-1', 'PLANTED-2'] })
    await deliver(world, orderNo)
    const refused = await addCodes(api, sku, ['PLANTED-3', 'PLANTED-4'.repeat(60)])
    const known = await addCodes(api, sku, ['PLANTED-1'])
    const order = await api.get(orderNo)

    const rows = [
      ...(await readCollectionRows(ledger, orderPk(orderNo))),
      ...(await readCollectionRows(ledger, codePk(sku))),
    ]

    expect(written.length).toBeGreaterThan(3)
    expect([written.join(''), writtenOut(rows), order.text, refused.text, known.text].join('')).not.toContain('PLANTED')
    expect([refused.status, known.body['known'], order.status]).toEqual([422, 1, 200])
    expect([...textsOf(await getCodes(api, orderNo))].sort()).toEqual(['PLANTED-1', 'PLANTED-2'])
  })

  it('that was changed in the ledger is refused, with the id of its row', async () => {
    const { api, world, orderNo } = await aPaidCardOrder()
    await deliver(world, orderNo)
    const rows = await readCollectionRows(ledger, orderPk(orderNo))
    const bound = sure(rows.find(({ et }) => et === 'CODE'))
    const key = { pk: String(bound['pk']), sk: String(bound['sk']) }
    await commit(ledger, [rawUpdate(key, { set: { sealed: Buffer.alloc(40, 1) } })], world.clock.now())

    const answer = await getCodes(api, orderNo)

    expect(answer).toMatchObject({ status: 500, body: { code: 'CODE_UNREADABLE' } })
    expect(String(answer.body['detail'])).toContain(String(bound['codeId']))
    expect(answer.text).not.toContain('CODE-0')
  })
})

async function forceInterface(world: World, orderNo: OrderNo, interfaceIndex: number) {
  const { pk, sk } = taskOf(await fileOf(world, orderNo), 'DELIVER')
  await commit(ledger, [rawUpdate({ pk, sk }, { set: { interfaceIndex } })], world.clock.now())
}
