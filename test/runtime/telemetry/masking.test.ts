import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { orderPk, orphanPk } from '../../../modules/ledger/table/keys.ts'
import { outcomeOfAnswer } from '../../../modules/outgoing/webhook/outcome-of-answer.ts'
import { handleEach } from '../../../modules/runtime/frame/each-record.ts'
import { errorFields } from '../../../modules/runtime/telemetry/log.ts'
import {
  collectionOf,
  fileOf,
  freshOrderNo,
  paid,
  putPayingOrder,
  taskOf,
  tasksOf,
} from '../../support/ledger-builders.ts'
import { openWorld, type World } from '../../support/world.ts'
import { aCallback, BANK, callbackOf, SECRET } from '../../support/world-bank.ts'

const planted = [
  SECRET,
  '4111 1111 1111 1111',
  '6222020200112233445',
  'buyer@example.com',
  'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x',
  'sk_live_51Habc',
]
const everything = planted.join(' | ')
const needles = [
  SECRET,
  '4111 1111 1111',
  '6222020200112233445',
  'buyer@example',
  'eyJhbGciOiJIUzI1NiJ9',
  'sk_live_51Habc',
]

let written = ''
beforeEach(() => {
  written = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    written += String(chunk)
    return true
  })
})
afterEach(() => vi.restoreAllMocks())

const leaksIn = (text: string): readonly string[] => needles.filter((needle) => text.includes(needle))

/** Rows as text, without the raw callback, which is kept as it was received. */
async function rowsOf(world: World, pk: string): Promise<string> {
  const { tasks, attempts, payments, journal, refunds, order, payAttempts, callbacks } = await collectionOf(world, pk)
  const known = callbacks.map(({ raw: _raw, headers: _headers, ...rest }) => rest)
  return JSON.stringify([tasks, attempts, payments, journal, refunds, order, payAttempts, known])
}

const secretFields = (orderNo: string) => ({
  ...paid(orderNo),
  buyer: everything,
  card: planted[1],
  note: { deep: [everything] },
})

it('a callback full of secrets leaves none in a log line or a row, when it is applied', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)

  await world.take(aCallback(secretFields(orderNo), { extra: { secret: everything } }))

  expect(written).not.toBe('')
  expect(leaksIn(written)).toEqual([])
  expect(leaksIn(await rowsOf(world, orderPk(orderNo)))).toEqual([])
})

it.each(['amount', 'currency', 'txn'])(
  "secrets in the field '%s' leave no trace in the ticket that names the field",
  async (field) => {
    const world = await openWorld()
    const orderNo = await putPayingOrder(world)
    const eventId = `evt-planted-${field}`

    await world.take(aCallback({ ...paid(orderNo), [field]: everything }, { eventId }))

    const pk = orderPk(orderNo)
    expect(tasksOf(await collectionOf(world, pk), 'REVIEW')).toHaveLength(1)
    expect(leaksIn(written)).toEqual([])
    expect(leaksIn(await rowsOf(world, pk))).toEqual([])
  },
)

it.each([`${everything}`, `{"type": "${everything}`, `{"${everything}": 1}`])(
  'a body that is not what it should be is quoted nowhere',
  async (body) => {
    const world = await openWorld()

    await world.take(callbackOf(body, 'evt-planted-body'))

    expect(leaksIn(written)).toEqual([])
    expect(leaksIn(await rowsOf(world, orphanPk(BANK, 'evt-planted-body')))).toEqual([])
  },
)

it('a mismatch, a refund and a dispute full of secrets leave none in their tickets', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)

  await world.take(aCallback({ ...secretFields(orderNo), amount: 1 }))
  await world.take(aCallback(secretFields(orderNo), { type: 'refunded' }))
  await world.take(aCallback(secretFields(orderNo), { type: 'disputed' }))

  expect(tasksOf(await fileOf(world, orderNo), 'REVIEW')).toHaveLength(3)
  expect(leaksIn(written)).toEqual([])
  expect(leaksIn(await rowsOf(world, orderPk(orderNo)))).toEqual([])
})

it('a merchant’s answer full of secrets leaves none in the task, its attempt or a log line', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo)))
  world.merchant.answer = () => outcomeOfAnswer(500, everything, everything, Date.now())

  await world.run(taskOf(await fileOf(world, orderNo), 'DELIVER'))

  expect(taskOf(await fileOf(world, orderNo), 'DELIVER').lastErrorMsg).toContain('***')
  expect(leaksIn(written)).toEqual([])
  expect(leaksIn(await rowsOf(world, orderPk(orderNo)))).toEqual([])
})

it('an error of a library that quotes what it read is masked in the log', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo)))
  world.merchant.answer = () => {
    throw new SyntaxError(`Unexpected token in "${everything}"`)
  }

  await world.run(taskOf(await fileOf(world, orderNo), 'DELIVER'))
  await handleEach([1], String, async () => Promise.reject(new Error(everything)), {
    concurrency: 5,
    needsMs: 1000,
    remainingMs: () => 1000,
  })

  expect(leaksIn(written)).toEqual([])
  expect(leaksIn(await rowsOf(world, orderPk(orderNo)))).toEqual([])
  expect(leaksIn(JSON.stringify(errorFields(new Error(everything))))).toEqual([])
})

it('a callback that waits for its order names ids only', async () => {
  const world = await openWorld()
  const orderNo = freshOrderNo()

  await world.take(aCallback(secretFields(orderNo)))

  expect(written).toContain(orderNo)
  expect(leaksIn(written)).toEqual([])
  expect(leaksIn(await rowsOf(world, orderPk(orderNo)))).toEqual([])
})
