import type { Ledger } from '../../functions/ledger/client.ts'
import { withFaults } from './faults.ts'
import type { World } from './world.ts'

/** Runs two handlers whose calls to the ledger happen in a chosen order. */
export interface Turns {
  /** Who makes each call in turn; after its end the first that can. */
  readonly order: readonly (0 | 1)[]
  /** Who goes on after the given turns as long as it can, in place of the first. */
  readonly goesOn?: 0 | 1
}

/** One of two handlers, with a ledger whose calls wait for their turn, and the same for calls that are not the ledger's. */
export type Contender = (ledger: Ledger, around: World['around']) => Promise<void>

interface Runner {
  /** Calls that wait for their turn, oldest first. */
  readonly waiting: (() => Promise<void>)[]
  done: boolean
}

/**
 * Plays two handlers, one call at a time: at each step the next of the given turns makes its call and runs to its next one.
 * @returns the turns as they were made, and at which of them the other handler could have gone instead
 */
export async function playTurns(
  base: Ledger,
  handlers: readonly [Contender, Contender],
  turns: Turns,
): Promise<{
  readonly made: readonly (0 | 1)[]
  readonly couldBranchAt: readonly number[]
  readonly errors: readonly unknown[]
}> {
  const errors: unknown[] = []
  let changed = Promise.withResolvers<void>()
  const tell = (): void => {
    changed.resolve()
    changed = Promise.withResolvers<void>()
  }
  const runners = handlers.map((handle): Runner => {
    const runner: Runner = { waiting: [], done: false }
    const inTurn = async <T>(run: () => Promise<T>): Promise<T> => {
      const turn = Promise.withResolvers<void>()
      const answered = Promise.withResolvers<void>()
      runner.waiting.push(() => {
        turn.resolve()
        return answered.promise
      })
      tell()
      await turn.promise
      return run().finally(answered.resolve)
    }
    const ledger = withFaults(base, ({ proceed }) => inTurn(proceed))
    handle(ledger, (_call, run) => inTurn(run))
      .catch((error: unknown) => errors.push(error))
      .finally(() => {
        runner.done = true
        tell()
      })
    return runner
  })
  const isReady = ({ waiting, done }: Runner): boolean => waiting.length > 0 || done
  const made: (0 | 1)[] = []
  const couldBranchAt: number[] = []
  for (;;) {
    while (!runners.every(isReady)) await changed.promise
    const able = ([0, 1] as const).filter((index) => (runners[index]?.waiting.length ?? 0) > 0)
    const [first] = able
    if (first === undefined) return { made, couldBranchAt, errors }
    if (able.length === 2) couldBranchAt.push(made.length)
    const wanted = turns.order[made.length] ?? turns.goesOn
    const next = wanted !== undefined && able.includes(wanted) ? wanted : first
    made.push(next)
    await runners[next]?.waiting.shift()?.()
  }
}

/** Plays every order of turns there is, up to a limit. */
export async function playAllOrders(
  limit: number,
  play: (turns: Turns) => Promise<{ readonly made: readonly (0 | 1)[]; readonly couldBranchAt: readonly number[] }>,
): Promise<{ readonly played: number; readonly isComplete: boolean }> {
  const open: (readonly (0 | 1)[])[] = [[]]
  let played = 0
  for (let order = open.pop(); order !== undefined; order = open.pop()) {
    if (played === limit) return { played, isComplete: false }
    const { made, couldBranchAt } = await play({ order })
    played++
    // Every turn after the given ones went to the first that could; the other one's orders are still to be played.
    for (const step of couldBranchAt.filter((at) => at >= (order?.length ?? 0))) open.push([...made.slice(0, step), 1])
  }
  return { played, isComplete: true }
}

/**
 * Plays every order in which the two hand over to each other at most `handovers` times while both have calls left, fewest first.
 * Most races need one or two; all orders of two long handlers are too many.
 */
export async function playHandovers(
  limit: number,
  handovers: number,
  play: (turns: Turns) => Promise<{ readonly made: readonly (0 | 1)[]; readonly couldBranchAt: readonly number[] }>,
): Promise<{ readonly played: number; readonly isComplete: boolean }> {
  const open: { readonly order: readonly (0 | 1)[]; readonly goesOn: 0 | 1; readonly left: number }[] = [
    { order: [], goesOn: 0, left: handovers },
    { order: [], goesOn: 1, left: handovers },
  ]
  let played = 0
  for (let turns = open.shift(); turns !== undefined; turns = open.shift()) {
    if (played === limit) return { played, isComplete: false }
    const { made, couldBranchAt } = await play(turns)
    played++
    const { order, goesOn, left } = turns
    if (left === 0) continue
    // Each play goes on with one of the two: it is handed over at each later step at which the other one could go.
    const other = goesOn === 0 ? 1 : 0
    for (const step of couldBranchAt.filter((at) => at > 0 && at >= order.length && made[at - 1] === goesOn))
      open.push({ order: [...made.slice(0, step), other], goesOn: other, left: left - 1 })
  }
  return { played, isComplete: true }
}
