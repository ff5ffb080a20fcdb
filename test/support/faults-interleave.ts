import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import type { Director, Side } from './explore-orders.ts'
import { withFaults } from './faults.ts'
import { footprintOf, type Touch } from './footprint.ts'
import type { World } from './world.ts'

/** One of two handlers, with a ledger whose calls wait for their turn, and the same for calls that are not the ledger's. */
export type Contender = (ledger: Ledger, around: World['around']) => Promise<void>

/** A call that waits for its turn; made, it says what it touched. */
type Waiting = () => Promise<readonly Touch[]>

interface Runner {
  readonly side: Side
  waiting?: Waiting | undefined
  /** From its arrival at the wait to its answer. */
  isCalling: boolean
  done: boolean
}

/**
 * Plays two handlers, one call at a time: at each point the director says who makes its call and runs to its next one.
 * @param touchesElsewhere what a call that is not the ledger's touches
 * @returns what the handlers threw
 * @throws Error when a handler makes two calls at once: in which order those happen would not be the director's
 */
export async function playTurns(
  base: Ledger,
  handlers: readonly [Contender, Contender],
  director: Director,
  touchesElsewhere: (call: string) => readonly Touch[],
): Promise<readonly string[]> {
  const errors: string[] = []
  let areTwoAtOnce = false
  let changed = Promise.withResolvers<void>()
  const tell = (): void => {
    changed.resolve()
    changed = Promise.withResolvers<void>()
  }
  const start = (side: Side): Runner => {
    const runner: Runner = { side, isCalling: false, done: false }
    const inTurn = async <T>(run: () => Promise<T>, touches: (error?: unknown) => readonly Touch[]): Promise<T> => {
      areTwoAtOnce ||= runner.isCalling
      runner.isCalling = true
      const turn = Promise.withResolvers<void>()
      const answered = Promise.withResolvers<readonly Touch[]>()
      runner.waiting = () => {
        turn.resolve()
        return answered.promise
      }
      tell()
      await turn.promise
      const made = run().finally(() => {
        runner.isCalling = false
      })
      answered.resolve(made.then(() => touches(), touches))
      return made
    }
    const ledger = withFaults(base, ({ command, input, proceed }) =>
      inTurn(proceed, (error) => footprintOf(command, input, isRefusal(error))),
    )
    handlers[side](ledger, (call, run) => inTurn(run, () => touchesElsewhere(call)))
      .catch((error: unknown) => errors.push(`${side}: ${String(error)}`))
      .finally(() => {
        runner.done = true
        tell()
      })
    return runner
  }
  const runners = [start(0), start(1)] as const
  for (;;) {
    while (!runners.every(({ waiting, done }) => waiting !== undefined || done)) await changed.promise
    if (areTwoAtOnce) throw new Error('A handler that makes two calls at once has orders that are not played.')
    const able = runners.filter(({ waiting }) => waiting !== undefined).map(({ side }) => side)
    if (able.length === 0) return errors.toSorted()
    const runner = runners[director.next(able)]
    const make = runner.waiting
    runner.waiting = undefined
    director.made({ by: runner.side, touches: (await make?.()) ?? [] })
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof ConditionalCheckFailedException || error instanceof TransactionCanceledException
