import type { Instant } from '../core/instant.ts'
import { commit, type Loss } from '../ledger/table/commit.ts'
import type { Write } from '../ledger/table/make-write.ts'
import { type Answer, ProblemError } from './problem.ts'

/** Reads, decides and commits again this often when others were faster. */
export const MAX_DECISIONS = 5
const RETRY_AFTER_S = 1

/** DynamoDB calls the transaction itself wrong: a bug of ours, which a retry cannot help. */
export class LedgerBugError extends Error {
  override readonly name = 'LedgerBugError'
  readonly code = 'LEDGER_BUG'
}

export type Decision =
  /** Nothing is to be written: done already by this same request. */
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'commit'; readonly writes: readonly Write[]; readonly answer: Answer }

/**
 * Decides from what stands in the ledger and commits; a lost race reads and decides again.
 * @param decide reads afresh each time, and learns what stood in the way of its last writes; a refusal is thrown
 * @throws ProblemError ORDER_BUSY when others kept being faster
 */
export async function decideUntilCommitted(
  deps: OrdersDeps,
  decide: (now: Instant, losses: readonly Loss[]) => Promise<Decision>,
): Promise<Answer> {
  let losses: readonly Loss[] = []
  for (let round = 0; round < MAX_DECISIONS; round++) {
    const now = deps.now()
    const decision = await decide(now, losses)
    if (decision.kind === 'answer') return decision.answer
    const result = await commit(deps.ledger, decision.writes, now)
    if (result.kind === 'done') return decision.answer
    if (result.kind === 'bug') throw new LedgerBugError(`The ledger refused a transaction: ${result.message}`)
    if (result.kind === 'conflict') break
    losses = result.losses
  }
  throw new ProblemError('ORDER_BUSY', 'Nothing was changed. Send the same request again.', {
    retryAfterS: RETRY_AFTER_S,
  })
}
