import type { OrderNo } from '../../modules/core/ids.ts'
import type { PolicyOverrides } from '../../modules/core/task-policies.ts'
import type { OrderFile } from '../../modules/ledger/read/queries.ts'
import { orderPk } from '../../modules/ledger/table/keys.ts'
import { brokenCloses, openFakeChannel } from './fake-channel.ts'
import { type AttemptHook, CrashError, type Failure, timeoutError, withFaults } from './faults.ts'
import { brokenInvariants } from './invariants.ts'
import { collectionOf, endOf } from './ledger-builders.ts'
import { openClock, openWorld, type World, worldOn } from './world.ts'
import { heal } from './world-heal.ts'

/** One handler's run in its surroundings, that can be set up as often as wanted. */
export interface Story {
  readonly name: string
  /** True when the bank can be asked and can close. */
  readonly hasChannel?: true
  /** What the merchant is told of beside his deliveries; nothing unless given. */
  readonly notices?: World['notices']
  /** Makes what the run needs, and says what will be true of money. */
  arrange(world: World): Promise<Scene>
}
export interface Scene {
  readonly orderNo: OrderNo
  /** Item collections that the story touches. */
  readonly pks?: readonly string[]
  /** Transaction numbers that the channel has really taken money under. */
  readonly payments: readonly string[]
  /** What the order must have come to: its status and the roles of its payments, as in 'DELIVERED APPLIED+SURPLUS'. */
  readonly ends?: string
  /** What else is broken, once it healed. */
  check?(): Promise<readonly string[]>
  /** The invocation under test; given again (the same message) after a fault. */
  act(world: World): Promise<void>
  /** What the rest of the system does with what the invocation left, before the healing. */
  afterwards?(world: World): Promise<void>
}

export type Fault =
  | 'crash before'
  | 'crash after'
  | 'conflict'
  | 'throttled'
  | 'inProgress'
  | 'unavailable'
  /** The request takes effect, its answer is lost; the SDK sends it again. */
  | 'answer lost once'
  /** The call takes effect and no answer ever comes. */
  | 'answer lost'

const FAILURES: ReadonlySet<string | undefined> = new Set(['conflict', 'throttled', 'inProgress', 'unavailable'])
const isFailure = (fault: Fault | undefined): fault is Failure => FAILURES.has(fault)

/**
 * What comes by itself after the fault. 'lost': the invocation's message again, and then no message but those that the sweep asks
 * for. 'sweep alone': not even the invocation's.
 */
export type Triggers = 'come' | 'lost' | 'sweep alone'

interface Counted {
  readonly calls: readonly string[]
}

/** Runs a story without faults and names the calls that its invocation makes. */
export async function countCalls(story: Story): Promise<Counted> {
  const calls: string[] = []
  await play(story, { watch: (name) => calls.push(name) })
  return { calls }
}

/** Runs a story with one fault at its n-th call, heals, and tells which invariants are broken. */
export async function playWithFault(
  story: Story,
  n: number,
  fault: Fault,
  triggers: Triggers = 'come',
): Promise<readonly string[]> {
  return play(story, { at: n, fault, triggers })
}

/** The same rules in fewer steps. */
const SHORT_LADDERS: PolicyOverrides = { SETTLE_CALLBACK: { ladder: { kind: 'steps', stepsMs: [1000, 2000, 4000] } } }

async function play(
  story: Story,
  {
    at = 0,
    fault,
    watch,
    triggers = 'come',
  }: { at?: number; fault?: Fault; watch?: (name: string) => void; triggers?: Triggers },
): Promise<readonly string[]> {
  const world = await openWorld({
    clock: openClock(),
    overrides: SHORT_LADDERS,
    ...(story.notices !== undefined && { notices: story.notices }),
    ...(story.hasChannel === true && { channel: openFakeChannel() }),
  })
  const scene = await story.arrange(world)
  const invocation = faultyWorld(world, at, fault, watch)
  const failed = await scene.act(invocation).then(
    () => false,
    () => true,
  )
  const isAlone = triggers === 'sweep alone'
  const wakes = triggers === 'come' ? 'come' : 'lost'
  // As SQS does: a message that was not taken comes again, the very same.
  if (failed && !isAlone) await scene.act(world)
  await scene.afterwards?.(world)
  const pks = scene.pks ?? [orderPk(scene.orderNo)]
  await heal(world, pks, wakes)
  if (!isAlone) {
    // At least once: a message that was taken may come again, too.
    await scene.act(world)
    await heal(world, pks, wakes)
  }
  const broken = await brokenInvariants(world, pks, scene.payments)
  const files = await Promise.all(pks.map((pk) => collectionOf(world, pk)))
  return [
    ...broken,
    ...((await scene.check?.()) ?? []),
    ...brokenEnd(scene, files[0]),
    ...files.flatMap((file) => brokenCloses(world.channel, file)),
    ...(world.channel?.broken ?? []),
  ]
}

function brokenEnd({ ends }: Scene, file: OrderFile | undefined): readonly string[] {
  if (ends === undefined || file === undefined) return []
  return ends === endOf(file) ? [] : [`it ended in '${endOf(file)}' instead of '${ends}'`]
}

/** The same functions for one invocation, of which one call meets a fault. After a crash nothing of it has effect. */
function faultyWorld(world: World, at: number, fault: Fault | undefined, watch?: (name: string) => void): World {
  let n = 0
  let isDead = false
  const around = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
    if (isDead) throw new CrashError('The process is gone.')
    watch?.(name)
    const isIt = ++n === at
    if (isIt && fault === 'crash before') {
      isDead = true
      throw new CrashError('The process died before the call.')
    }
    const result = await run()
    if (isIt && fault === 'crash after') {
      isDead = true
      throw new CrashError('The process died after the call.')
    }
    if (isIt && fault === 'answer lost') throw timeoutError()
    return result
  }
  const attempts: AttemptHook = () => {
    if (n !== at || fault !== 'answer lost once' || lostOnce) return
    lostOnce = true
    throw timeoutError()
  }
  let lostOnce = false
  const ledger = withFaults(
    world.ledger,
    async ({ command, fail, proceed }) => {
      await around(command, async () => {
        const isIt = n === at
        if (isIt && isFailure(fault)) fail(fault)
        await proceed()
      })
    },
    attempts,
  )
  return worldOn(ledger, world.clock, world.merchant, {
    policies: world.policies,
    notices: world.notices,
    raw: world.raw,
    around,
    ...(world.channel !== undefined && { channel: world.channel }),
  })
}
