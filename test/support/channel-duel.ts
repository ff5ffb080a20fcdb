import { orderPk } from '../../functions/ledger/keys.ts'
import { brokenCloses, type FakeChannel, openFakeChannel } from './fake-channel.ts'
import { type Contender, playHandovers, playTurns } from './faults-interleave.ts'
import { brokenInvariants } from './invariants.ts'
import { endOf, fileOf } from './ledger-builders.ts'
import { openClock, openWorld, type World, worldOn } from './world.ts'
import { heal } from './world-heal.ts'

/** The most orders that are played of one duel. */
const LIMIT = 300

type Handler = (world: World, channel: FakeChannel) => Promise<void>

export interface ChannelDuel {
  readonly orderNo: Parameters<typeof orderPk>[0]
  readonly handlers: readonly [Handler, Handler]
}

/**
 * Plays two handlers whose calls to ledger and channel take turns, in every order in which they hand over to each other at most
 * `handovers` times; heals each, and gathers what is broken and how the order ended.
 */
export async function channelDuel(
  handovers: number,
  arrange: (world: World, channel: FakeChannel) => Promise<ChannelDuel>,
  limit = LIMIT,
) {
  const broken: string[] = []
  const ends = new Set<string>()
  const result = await playHandovers(limit, handovers, async (turns) => {
    const channel = openFakeChannel()
    const world = await openWorld({ clock: openClock(), channel })
    const { orderNo, handlers } = await arrange(world, channel)
    const on =
      (handler: Handler): Contender =>
      (ledger, around) =>
        handler(worldOn(ledger, world.clock, world.merchant, { channel, around }), channel)
    const played = await playTurns(world.ledger, [on(handlers[0]), on(handlers[1])], turns)
    await heal(world, [orderPk(orderNo)])
    const file = await fileOf(world, orderNo)
    const found = [
      ...(await brokenInvariants(world, [orderPk(orderNo)], channel.payments)),
      ...brokenCloses(channel, file),
      ...played.errors.map(String),
    ]
    broken.push(...found.map((line) => `${played.made.join('')}: ${line}`))
    ends.add(endOf(file))
    return played
  })
  return { ...result, broken, ends: [...ends].toSorted() }
}
