import type { Ledger } from '../../functions/ledger/client.ts'
import { withFaults } from './faults.ts'

/** Runs two handlers whose calls to the ledger happen in a chosen order. */
export interface Turns {
  /** Who makes each call in turn; after its end the first that can. */
  readonly order: readonly (0 | 1)[]
}

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
  handlers: readonly [(ledger: Ledger) => Promise<void>, (ledger: Ledger) => Promise<void>],
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
    const ledger = withFaults(base, async ({ proceed }) => {
      const turn = Promise.withResolvers<void>()
      const answered = Promise.withResolvers<void>()
      runner.waiting.push(() => {
        turn.resolve()
        return answered.promise
      })
      tell()
      await turn.promise
      await proceed().finally(answered.resolve)
    })
    handle(ledger)
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
    const wanted = turns.order[made.length]
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
