import { describe, expect, it } from 'vitest'
import { orphanPk } from '../../modules/ledger/table/keys.ts'
import {
  collectionOf,
  fileOf,
  freshTxn,
  paid,
  putPayingOrder,
  taskOf,
  tasksOf,
  verdictsOf,
} from '../support/ledger-builders.ts'
import { openWorld } from '../support/world.ts'
import { aCallback, BANK, callbackOf } from '../support/world-bank.ts'

const word = (name: string): string => `${name}-${freshTxn()}`

describe('a verified notice about money that nobody can read', () => {
  it('stands in its order’s file, and twenty of one trade are one ticket with all of them as evidence', async () => {
    const world = await openWorld()
    const orderNo = await putPayingOrder(world)
    const txn = freshTxn()

    for (let time = 0; time < 20; time++) await world.take(aCallback({ order_no: orderNo, txn, amount: `${time}.5` }))

    const ticket = taskOf(await fileOf(world, orderNo), 'REVIEW')
    expect(ticket).toMatchObject({ status: 'MANUAL', lastErrorCode: 'CALLBACK_UNREADABLE' })
    expect(ticket.evidence).toHaveLength(19)
  })

  it('holds the close for a day, and no longer', async () => {
    const world = await openWorld()
    const orderNo = await putPayingOrder(world)
    const before = (await fileOf(world, orderNo)).order
    await world.take(aCallback({ ...paid(orderNo), amount: 'much' }))
    world.clock.advance(23 * 3_600_000)

    await world.run(taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER'))
    const held = await fileOf(world, orderNo)
    world.clock.advance(2 * 3_600_000)
    await world.run(taskOf(held, 'CLOSE_ORDER'))

    expect(held.order?.rev).toBe((before?.rev ?? 0) + 1)
    expect(taskOf(held, 'CLOSE_ORDER')).toMatchObject({ status: 'WAITING', lastErrorCode: 'MONEY_UNREAD' })
    expect((await fileOf(world, orderNo)).order?.status).toBe('CLOSED')
  })

  it('without a number is one ticket a field, and each notice is kept', async () => {
    const world = await openWorld()
    const pk = orphanPk(BANK, 'unreadable/body')
    const before = tasksOf(await collectionOf(world, pk), 'REVIEW').length

    await world.take(callbackOf('<a/>', word('evt')))
    await world.take(callbackOf('<b/>', word('evt')))

    expect(tasksOf(await collectionOf(world, pk), 'REVIEW')).toHaveLength(1)
    expect(before).toBeLessThanOrEqual(1)
  })
})

describe('a word that no table knows', () => {
  it('is one ticket ever, however many notices tell it, and its orders go on', async () => {
    const world = await openWorld()
    const orderNo = await putPayingOrder(world)
    const type = word('tomorrow')

    for (let time = 0; time < 5; time++) await world.take(aCallback({ order_no: orderNo }, { type }))

    const tickets = tasksOf(await collectionOf(world, orphanPk(BANK, `unknown/${type}`)), 'REVIEW')
    expect(tickets).toMatchObject([{ status: 'MANUAL', lastErrorCode: 'UNKNOWN_CODE' }])
    const file = await fileOf(world, orderNo)
    expect(file.order?.frozen).toBeUndefined()
    expect(verdictsOf(file)).toEqual(Array.from({ length: 5 }, () => 'recorded'))
  })
})

it('a try that failed, told of a payment that is booked, is two stories: a ticket and a freeze', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const data = paid(orderNo)
  await world.take(aCallback(data))

  await world.take(aCallback(data, { type: 'failed' }))

  const file = await fileOf(world, orderNo)
  expect(file.order).toMatchObject({ status: 'PAID', frozen: { reason: 'FAILED_AFTER_PAID' } })
  expect(taskOf(file, 'REVIEW')).toMatchObject({ status: 'MANUAL', lastErrorCode: 'FAILED_AFTER_PAID' })
})

it('no money is no payment, whoever tells of it', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)

  await world.take(aCallback({ ...paid(orderNo), amount: 0 }))
  await world.take(aCallback(paid(orderNo)))

  const file = await fileOf(world, orderNo)
  expect(file.payments).toMatchObject([{ role: 'APPLIED', paid: 8800 }])
  expect(file.order?.frozen).toBeUndefined()
})
