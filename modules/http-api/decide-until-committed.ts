import type { Instant } from '../core/instant.ts'
import type { LedgerDeps } from '../ledger/context.ts'
import { decideAndCommit, describeLosses } from '../ledger/decide-and-commit.ts'
import type { Loss } from '../ledger/table/commit.ts'
import type { Write } from '../ledger/table/make-write.ts'
import { log } from '../runtime/telemetry/log.ts'
import { type Answer, ProblemError } from './problem.ts'

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
  deps: Pick<LedgerDeps, 'ledger' | 'now'>,
  decide: (now: Instant, losses: readonly Loss[]) => Promise<Decision>,
): Promise<Answer> {
  const decided = await decideAndCommit<Answer>(deps, async ({ now, losses }) => {
    const { answer, ...plan } = await decide(now, losses)
    return { ...plan, value: answer }
  })
  if (decided.kind === 'decided') return decided.value
  if (decided.kind === 'bug') throw new LedgerBugError(`The ledger refused a transaction: ${decided.message}`)
  const lostTo = decided.kind === 'gaveUp' ? describeLosses(decided.losses) : 'other transactions'
  log('WARN', 'A request gave up: others kept being faster.', { lostTo })
  throw new ProblemError('ORDER_BUSY', 'Nothing was changed. Send the same request again.', {
    retryAfterS: RETRY_AFTER_S,
  })
}
