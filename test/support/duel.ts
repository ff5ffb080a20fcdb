import type { OrderNo } from '../../modules/core/ids.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { orderPk } from '../../modules/ledger/table/keys.ts'
import { type Director, type Exploration, type Explore, exploreOrders, type Side } from './explore-orders.ts'
import { type Abilities, brokenCloses, type FakeChannel, meetsNothing, openFakeChannel } from './fake-channel.ts'
import { type Contender, playTurns } from './faults-interleave.ts'
import type { Touch } from './footprint.ts'
import { brokenInvariants, brokenTries } from './invariants.ts'
import { endOf, fileOf, freshOrderNo } from './ledger-builders.ts'
import { canonicalText, emptyTable, readWholeTable } from './whole-table.ts'
import { openClock, openWorld, type World, worldOn } from './world.ts'
import { heal } from './world-heal.ts'

/** More orders than any duel has. */
const LIMIT = 2000

/** What one of the two does with one invocation. The channel is for what happens there without us. */
type Handler = (world: World, channel: FakeChannel) => Promise<void>

export interface Duel {
  readonly handlers: readonly [Handler, Handler]
  /** Transaction numbers under which money was really taken; the channel's own unless given. */
  readonly payments?: readonly string[]
  /** What else is broken, once it healed. */
  readonly check?: () => Promise<readonly string[]>
}

/** Makes what two handlers meet in, under the same names each time. */
export type Arrange = (world: World, orderNo: OrderNo, channel: FakeChannel) => Promise<Duel>

export interface Outcomes extends Exploration {
  /** Broken invariants, each with the order of calls that broke it first. */
  readonly broken: readonly string[]
  /** What the order came to after healing. */
  readonly ends: readonly string[]
  /** What ledger, channel and merchant held when both handlers were done, before anything healed. */
  readonly states: ReadonlySet<string>
  /** What went out to channel and merchant in a play, before anything healed: 'query close query', 'webhook'. */
  readonly sent: readonly string[]
}

interface Options {
  readonly orderNo?: OrderNo
  /** Which orders are played; every distinguishable one unless given. */
  readonly explore?: Explore
  /** What the channel can do: be asked and close unless given, and neither where it is mute. */
  readonly isMute?: boolean
  readonly abilities?: Abilities
  /** What the merchant is told of beside his deliveries; nothing unless given. */
  readonly notices?: World['notices']
  /** Other ladders and leases than the usual ones. */
  readonly policies?: World['policies']
}

/**
 * Plays two handlers in every distinguishable order of their calls, on a table that is emptied before each, and heals each state
 * that they left; what heals depends on nothing else, so a state that was healed before is not healed again.
 */
export async function duel(
  arrange: Arrange,
  {
    orderNo = freshOrderNo(),
    explore = exploreOrders,
    isMute = false,
    abilities,
    notices = new Set(),
    policies = bindPolicies({}),
  }: Options = {},
): Promise<Outcomes> {
  const broken: string[] = []
  const ends = new Set<string>()
  const states = new Set<string>()
  const sent = new Set<string>()
  const result = await explore(LIMIT, async (director) => {
    const channel = openFakeChannel('duel', abilities)
    const mine = { notices, policies, ...(!isMute && { channel }) }
    const world = await openWorld({ clock: openClock(), ...mine })
    await emptyTable(world.ledger)
    const { handlers, payments = channel.payments, check } = await arrange(world, orderNo, channel)
    const startedAt = world.clock.now()
    const on =
      (handler: Handler): Contender =>
      (ledger, around) =>
        handler(worldOn(ledger, world.clock, world.merchant, { ...mine, around }), channel)
    const made: Side[] = []
    const noting: Director = {
      next: director.next,
      made: (step) => {
        made.push(step.by)
        director.made(step)
      },
    }
    const errors = await playTurns(world.ledger, [on(handlers[0]), on(handlers[1])], noting, touchesOf(channel))
    if (world.clock.now() !== startedAt) throw new Error('A handler that moves the clock touches what no call shows.')
    sent.add(sentTo(channel, world))
    const rows = await readWholeTable(world.ledger)
    const state = canonicalText([rows, channel.state(), world.merchant.received, errors])
    if (states.has(state)) return
    states.add(state)
    // An order that nobody can pay closes in the end, and nothing would be seen any more.
    const early = brokenTries(await fileOf(world, orderNo))
    await heal(world, [orderPk(orderNo)])
    const file = await fileOf(world, orderNo)
    const found = [
      ...early,
      ...(await brokenInvariants(world, [orderPk(orderNo)], payments)),
      ...(isMute ? [] : brokenCloses(channel, file)),
      ...channel.broken,
      ...((await check?.()) ?? []),
      ...errors,
    ]
    broken.push(...found.map((line) => `${made.join('')}: ${line}`))
    ends.add(endOf(file))
  })
  return { ...result, broken, ends: [...ends].toSorted(), states, sent: [...sent].toSorted() }
}

/** A question changes nothing at a channel where nothing happens meanwhile; whatever else reaches it or the merchant may. */
const touchesOf =
  ({ meet }: FakeChannel) =>
  (call: string): readonly Touch[] => {
    if (call === 'HTTP') return [{ pk: 'the merchant', writes: true }]
    return [{ pk: 'the channel', writes: call !== 'query' || meet !== meetsNothing }]
  }

const sentTo = ({ calls }: FakeChannel, { merchant }: World): string =>
  [...calls.map((call) => call.split(' ')[0]), ...merchant.received.map(() => 'webhook')].join(' ')
