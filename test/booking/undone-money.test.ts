import { describe, expect, it } from 'vitest'
import { parseOrderNo } from '../../modules/core/ids.ts'
import { plusMs } from '../../modules/core/instant.ts'
import type { OrderFile } from '../../modules/ledger/read/queries.ts'
import { sure } from '../support/core-builders.ts'
import { runWhenDue } from '../support/due-task.ts'
import {
  fileOf,
  forceOrder,
  freshOrderNo,
  paid,
  putOrder,
  putPayingOrder,
  taskOf,
  tasksOf,
} from '../support/ledger-builders.ts'
import { openWorld, type World } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

const DAY_MS = 24 * 60 * 60 * 1000
type Fact = 'paid' | 'refunded' | 'disputed' | 'closed'

/** Tells facts of one payment in an order; a refund is 30.00 of 88.00, under one number of the channel. */
async function tell(world: World, data: ReturnType<typeof paid>, facts: readonly Fact[]): Promise<void> {
  for (const type of facts) {
    const part = type === 'refunded' ? { amount: 3000, refund_no: 'theirs-1' } : {}
    await world.take(aCallback({ ...data, ...part }, { type }))
  }
}

const tickets = (file: OrderFile) => tasksOf(file, 'REVIEW').filter(({ status }) => status === 'MANUAL')

function* permutationsOf<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length < 2) yield items
  else
    for (const [index, first] of items.entries())
      for (const rest of permutationsOf(items.toSpliced(index, 1))) yield [first, ...rest]
}

const sets: readonly (readonly [string, readonly Fact[]])[] = [
  ['a part refund', ['paid', 'refunded']],
  ['a cancel', ['paid', 'closed']],
  ['a dispute', ['paid', 'disputed']],
  ['a part refund and a dispute', ['paid', 'refunded', 'disputed']],
]

describe.each(sets)('%s', (_name, facts) => {
  it.each([...permutationsOf(facts)].map((order) => [order.join(', '), order] as const))(
    'told as %s, and all of it twice, is one payment, one end and one ticket a fact',
    async (_title, order) => {
      const world = await openWorld()
      const orderNo = await putPayingOrder(world)

      await tell(world, paid(orderNo), [...order])
      const data = sure((await fileOf(world, orderNo)).payments[0])
      await tell(world, { ...paid(orderNo), txn: data.channelTxnId }, [...order])

      const file = await fileOf(world, orderNo)
      expect(file.payments).toMatchObject([{ role: 'APPLIED', paid: 8800 }])
      expect(file.order).toMatchObject({ status: 'PAID', frozen: { reason: 'MONEY_UNDONE' } })
      expect(tickets(file)).toHaveLength(facts.includes('disputed') ? facts.length - 1 : 1)
      expect(tasksOf(file, 'REVIEW').every(({ status }) => status === 'MANUAL')).toBe(true)
      const { told = 0, allBack = false, free } = sure(file.payments[0])
      const movements = file.refunds.map(({ cause, state, amount }) => [cause, state, amount]).toSorted()
      expect({ told, allBack, free, movements }).toEqual(figuresAfter(facts))
    },
  )
})

/** What a person would write down by hand. */
function figuresAfter(facts: readonly Fact[]) {
  const isCancelled = facts.includes('closed')
  const refunded = facts.includes('refunded') ? 3000 : 0
  const disputed = facts.includes('disputed') ? 8800 : 0
  const movements = [
    ...(disputed > 0 ? [['DISPUTE', 'SUBMITTED', 8800]] : []),
    ...(refunded > 0 ? [['EXTERNAL', 'DONE', 3000]] : []),
  ]
  return { told: 0, allBack: isCancelled, free: isCancelled ? 0 : 8800 - refunded - disputed, movements }
}

it('goods of an order whose money was undone before their delivery do not go out', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const data = paid(orderNo)
  await tell(world, data, ['closed', 'paid'])

  await world.run(taskOf(await fileOf(world, orderNo), 'DELIVER'))

  const file = await fileOf(world, orderNo)
  expect(file.order?.status).toBe('PAID')
  expect(taskOf(file, 'DELIVER')).toMatchObject({ status: 'WAITING', attempts: 0, lastErrorCode: 'ORDER_FROZEN' })
})

it('money that comes late gives back only the rest of what its channel gave back before', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await forceOrder(world, orderNo, { status: 'CLOSED' }, ['duePk', 'dueAt'])

  await tell(world, paid(orderNo), ['refunded', 'paid'])

  const file = await fileOf(world, orderNo)
  expect(file.payments).toMatchObject([{ role: 'LATE', paid: 8800, reserved: 5800, free: 0 }])
  expect(file.refunds.map(({ cause, amount, state }) => [cause, amount, state]).toSorted()).toEqual([
    ['EXTERNAL', 3000, 'DONE'],
    ['LATE', 5800, 'CREATED'],
  ])
  expect(tickets(file)).toHaveLength(0)
  expect(taskOf(file, 'REVIEW')).toMatchObject({ status: 'CLOSED' })
})

it('late money that is back already starts no refund and needs no person', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await forceOrder(world, orderNo, { status: 'CLOSED' }, ['duePk', 'dueAt'])

  await tell(world, paid(orderNo), ['closed', 'paid'])

  const file = await fileOf(world, orderNo)
  expect(file.payments).toMatchObject([{ role: 'LATE', reserved: 0, allBack: true, free: 0 }])
  expect(tasksOf(file, 'REFUND')).toHaveLength(0)
  expect(tickets(file)).toHaveLength(0)
})

it('a refund of late money that stands ready is replaced by one over the rest when a part turns out to be back', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await forceOrder(world, orderNo, { status: 'CLOSED' }, ['duePk', 'dueAt'])

  await tell(world, paid(orderNo), ['paid', 'refunded'])

  const file = await fileOf(world, orderNo)
  const own = file.refunds.filter(({ cause }) => cause === 'LATE')
  expect(own.map(({ state, amount }) => [state, amount]).toSorted()).toEqual([
    ['CANCELLED', 8800],
    ['CREATED', 5800],
  ])
  expect(file.payments).toMatchObject([{ reserved: 5800, external: 3000, free: 0 }])
  expect(
    tasksOf(file, 'REFUND')
      .map(({ status }) => status)
      .toSorted(),
  ).toEqual(['CLOSED', 'WAITING'])
})

it('money back of a payment that nobody ever told is a person’s a day later', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await tell(world, paid(orderNo), ['refunded'])
  const before = taskOf(await fileOf(world, orderNo), 'REVIEW')
  world.clock.set(plusMs(world.clock.now(), DAY_MS))

  await world.run(before)

  expect(before.status).toBe('WAITING')
  expect(taskOf(await fileOf(world, orderNo), 'REVIEW')).toMatchObject({
    status: 'MANUAL',
    lastErrorCode: 'UNDONE_WITHOUT_PAYMENT',
  })
})

it('a cancel of what nobody ever paid is no ticket', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await tell(world, paid(orderNo), ['closed'])

  await runWhenDue(world, orderNo, 'REVIEW')

  expect(taskOf(await fileOf(world, orderNo), 'REVIEW')).toMatchObject({ status: 'CLOSED' })
})

it('an order that comes after its money and after its undoing takes both', async () => {
  const world = await openWorld()
  const orderNo = freshOrderNo()
  await tell(world, paid(orderNo), ['refunded'])
  const { channelTxnId } = sure((await fileOf(world, sure(parseOrderNo(orderNo)))).payments[0])
  await tell(world, { ...paid(orderNo), txn: channelTxnId }, ['paid'])

  await putOrder(world, { orderNo })
  world.clock.set(plusMs(world.clock.now(), 1000))
  await world.run(taskOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK'))

  const file = await fileOf(world, orderNo)
  expect(file.payments).toMatchObject([{ role: 'APPLIED', external: 3000, free: 5800 }])
  expect(file.order).toMatchObject({ status: 'PAID', frozen: { reason: 'MONEY_UNDONE' } })
})

it('a payment that comes ends the wait for itself, and not for another payment of its order', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const [first, second] = [paid(orderNo), paid(orderNo)]
  await forceOrder(world, orderNo, { status: 'CLOSED' }, ['duePk', 'dueAt'])
  await tell(world, first, ['refunded'])
  await world.take(aCallback({ ...second, amount: 1000, refund_no: 'theirs-2' }, { type: 'refunded' }))

  await tell(world, first, ['paid'])

  const looks = tasksOf(await fileOf(world, orderNo), 'REVIEW')
  expect(looks.map(({ bizNo, status }) => [bizNo.includes(second.txn), status]).toSorted()).toEqual([
    [false, 'CLOSED'],
    [true, 'WAITING'],
  ])
})
