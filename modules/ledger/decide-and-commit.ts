import type { Instant } from '../core/instant.ts'
import type { LedgerDeps } from './context.ts'
import type { Ledger } from './table/client.ts'
import { type Commit, commit, type Loss, updateOne } from './table/commit.ts'
import type { Write } from './table/make-write.ts'

/** Reads, decides and commits again this often when others were faster. */
export const MAX_DECISIONS = 5

/** What a decision comes to: an answer at once, or one that holds once its writes are there. */
export type Plan<Value> =
  | { readonly kind: 'answer'; readonly value: Value }
  | { readonly kind: 'commit'; readonly writes: readonly Write[]; readonly value: Value }

export type Decided<Value> =
  | { readonly kind: 'decided'; readonly value: Value }
  /** Others kept being faster: `losses` say where, the last time. */
  | { readonly kind: 'gaveUp'; readonly losses: readonly Loss[] }
  | Extract<Commit, { kind: 'conflict' | 'bug' }>

/** What a decision may look at beside what it reads afresh. */
export interface Round {
  readonly now: Instant
  /** What stood in the way of the last writes. */
  readonly losses: readonly Loss[]
  /** 0 for the first. */
  readonly number: number
}

/**
 * Reads, decides and commits; a lost race reads and decides again. The only such loop. A single update is made alone, for half of
 * what a transaction of it costs: where its answer was lost, the next round finds it made.
 * @param decide reads afresh each time; what it throws ends the loop
 * @param onConflict whether transactions of others that keep touching the rows end it, or are a lost race like any other
 * @throws the SDK's error when DynamoDB did not answer
 */
export async function decideAndCommit<Value>(
  { ledger, now }: Pick<LedgerDeps, 'ledger' | 'now'>,
  decide: (round: Round) => Promise<Plan<Value>>,
  onConflict: 'end' | 'again' = 'end',
): Promise<Decided<Value>> {
  let losses: readonly Loss[] = []
  for (let number = 0; number < MAX_DECISIONS; number++) {
    const at = now()
    const plan = await decide({ now: at, losses, number })
    if (plan.kind === 'answer') return { kind: 'decided', value: plan.value }
    const result = await write(ledger, plan.writes, at)
    if (result.kind === 'done') return { kind: 'decided', value: plan.value }
    if (result.kind === 'bug' || (result.kind === 'conflict' && onConflict === 'end')) return result
    losses = result.kind === 'lost' ? result.losses : []
  }
  return { kind: 'gaveUp', losses }
}

function write(ledger: Ledger, writes: readonly Write[], now: Instant): Promise<Commit> {
  const [only, ...others] = writes
  const isAlone = only?.op === 'update' && only.optional !== true && others.length === 0
  return isAlone ? updateOne(ledger, only, now) : commit(ledger, writes, now)
}

/** What stood in the way, for a log line: `sk arm,arm` of each row. */
export function describeLosses(losses: readonly Loss[]): string {
  return losses.map(({ key, arms }) => `${key.sk} ${arms.join(',')}`).join('; ')
}
