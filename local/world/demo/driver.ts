import type { Clock } from '../../host/clock/clock.ts'
import type { WorkSource } from '../../host/runtime/idleness.ts'
import type { Action, World } from './act.ts'

/** Carries out a plan as the shared clock passes its moments; part of what the leaps wait for. */
export interface Driver {
  readonly source: WorkSource
  readonly done: () => number
  readonly total: number
  /** The first action that failed, if any. */
  readonly failure: () => unknown
  stop(): void
}

/** Real time between two looks at the clock; a leap looks at once. */
const LOOK_MS = 20

/** Starts the plan now. Actions of one moment run together, later ones wait for nothing but the clock. */
export function startDriver(clock: Clock, world: World, actions: readonly Action[]): Driver {
  const startedAtMs = clock.now()
  const queue = actions.toSorted((a, b) => a.atMs - b.atMs)
  let next = 0
  let running = 0
  let done = 0
  let failure: unknown

  const run = async (action: Action): Promise<void> => {
    running++
    try {
      await action.run(world)
    } catch (error) {
      failure ??= error
    } finally {
      running--
      done++
    }
  }
  const look = (): void => {
    for (let action = queue[next]; action !== undefined && isDue(action); action = queue[next]) {
      next++
      void run(action)
    }
  }
  const isDue = (action: Action): boolean => startedAtMs + action.atMs <= clock.now()
  clock.onLeap(look)
  const timer = setInterval(look, LOOK_MS)

  return {
    source: {
      isBusy: () => running > 0,
      nextDueAt: () => {
        const action = queue[next]
        return action === undefined ? undefined : startedAtMs + action.atMs
      },
    },
    done: () => done,
    total: queue.length,
    failure: () => failure,
    stop: () => clearInterval(timer),
  }
}
