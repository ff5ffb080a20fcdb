import type { Ledger } from '../../functions/ledger/client.ts'
import { orderPk } from '../../functions/ledger/keys.ts'
import { playAllOrders, playTurns } from '../support/faults-interleave.ts'
import { brokenInvariants } from '../support/invariants.ts'
import { fileOf } from '../support/ledger-builders.ts'
import { openClock, openWorld, type World, worldOn } from '../support/world.ts'
import { heal } from '../support/world-heal.ts'

/** The most orders that are played of one duel. */
const LIMIT = 300

export interface Duel {
  readonly orderNo: Parameters<typeof orderPk>[0]
  readonly payments: readonly string[]
  readonly handlers: readonly [(world: World) => Promise<void>, (world: World) => Promise<void>]
}

/** Plays two handlers in every order of their calls, heals each, and gathers what is broken. */
export async function duel(arrange: (world: World) => Promise<Duel>, limit = LIMIT) {
  const broken: string[] = []
  const ends = new Set<string>()
  const result = await playAllOrders(limit, async (turns) => {
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
