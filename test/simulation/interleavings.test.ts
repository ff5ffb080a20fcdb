import { expect, test } from 'vitest'
import type { Ledger } from '../../functions/ledger/client.ts'
import { orderPk } from '../../functions/ledger/keys.ts'
import { playAllOrders, playTurns } from '../support/faults-interleave.ts'
import { brokenInvariants } from '../support/invariants.ts'
import { fileOf, orderOf, paid, putOrder, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { aCallback, openClock, openWorld, type World, worldOn } from '../support/world.ts'
import { heal } from '../support/world-heal.ts'

const LIMIT = 300

interface Duel {
  readonly orderNo: Parameters<typeof orderPk>[0]
  readonly payments: readonly string[]
  readonly handlers: readonly [(world: World) => Promise<void>, (world: World) => Promise<void>]
}

/** Plays two handlers in every order of their calls, heals each, and gathers what is broken. */
async function duel(arrange: (world: World) => Promise<Duel>) {
  const broken: string[] = []
  const ends = new Set<string>()
  const result = await playAllOrders(LIMIT, async (turns) => {
    const world = await openWorld({ clock: openClock() })
    const { orderNo, payments, handlers } = await arrange(world)
    const on = (handler: (world: World) => Promise<void>) => (ledger: Ledger) =>
      handler(worldOn(ledger, world.clock, world.merchant))
    const played = await playTurns(world.ledger, [on(handlers[0]), on(handlers[1])], turns)
    await heal(world, [orderPk(orderNo)])
    const found = await brokenInvariants(world, [orderPk(orderNo)], payments)
    broken.push(...[...found, ...played.errors.map(String)].map((line) => `${played.made.join('')}: ${line}`))
    const file = await fileOf(world, orderNo)
    ends.add(
      `${file.order?.status} ${file.payments
        .map(({ role }) => role)
        .toSorted()
        .join('+')}`,
    )
    return played
  })
  return { ...result, broken, ends: [...ends].toSorted() }
}

test('two payments of one order in every order of their calls: one is applied, the other goes back', async () => {
  const { broken, played, isComplete, ends } = await duel(async (world) => {
    const orderNo = await putPayingOrder(world)
    const [one, two] = [paid(orderNo), paid(orderNo)]
    const callbacks = [aCallback(one), aCallback(two)] as const
    return {
      orderNo,
      payments: [one.txn, two.txn],
      handlers: [({ take }) => take(callbacks[0]), ({ take }) => take(callbacks[1])],
    }
  })

  expect(broken).toEqual([])
  expect(ends).toEqual(['DELIVERED APPLIED+SURPLUS'])
  expect([played >= 70, isComplete]).toEqual([true, true])
})

test('one payment told twice at once, in every order of the calls, is one payment', async () => {
  const { broken, isComplete, ends } = await duel(async (world) => {
    const orderNo = await putPayingOrder(world)
    const data = paid(orderNo)
    const callback = aCallback(data)
    return {
      orderNo,
      payments: [data.txn],
      handlers: [({ take }) => take(callback), ({ take }) => take(callback)],
    }
  })

  expect(broken).toEqual([])
  expect(ends).toEqual(['DELIVERED APPLIED'])
  expect(isComplete).toBe(true)
})

test('a payment against the close of its order, in every order of the calls: PAID, or CLOSED and given back', async () => {
  const { broken, isComplete, ends } = await duel(async (world) => {
    const orderNo = await putOrder(world)
    world.clock.set((await orderOf(world, orderNo)).closeAt)
    const task = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
    const data = paid(orderNo)
    const callback = aCallback(data)
    return { orderNo, payments: [data.txn], handlers: [({ take }) => take(callback), ({ run }) => run(task)] }
  })

  expect(broken).toEqual([])
  expect(ends).toEqual(['CLOSED LATE', 'DELIVERED APPLIED'])
  expect(isComplete).toBe(true)
})

test('two workers on one delivery, in every order of the calls, send it once', async () => {
  const sent = new Set<number>()
  const { broken, isComplete } = await duel(async (world) => {
    const orderNo = await putPayingOrder(world)
    const data = paid(orderNo)
    await world.take(aCallback(data))
    const task = taskOf(await fileOf(world, orderNo), 'DELIVER')
    world.merchant.answer = () => {
      sent.add(world.merchant.received.length)
      return { kind: 'done' }
    }
    return {
      orderNo,
      payments: [data.txn],
      handlers: [({ run }) => run(task, 'worker-1'), ({ run }) => run(task, 'worker-2')],
    }
  })

  expect(broken).toEqual([])
  expect([...sent]).toEqual([1])
  expect(isComplete).toBe(true)
})
