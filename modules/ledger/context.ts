import type { Instant } from '../core/instant.ts'
import type { NoticeType } from '../core/notice.ts'
import type { Policies } from '../core/task-policies.ts'
import type { Ledger } from './table/client.ts'

/** What writes of tasks need beside their subject. */
export interface TaskContext {
  /** The moment of the decision: every write of one transaction bears the same. */
  readonly now: Instant
  readonly policies: Policies
}

/** What writes need that also tell the merchant. */
export interface WriteContext extends TaskContext {
  /** Types of notices that the merchant chose to be told of. */
  readonly notices: ReadonlySet<NoticeType>
}

/** What a function keeps for its life and binds to a moment for each decision. */
export interface LedgerDeps {
  readonly ledger: Ledger
  readonly policies: Policies
  readonly now: () => Instant
}

/** The context of a decision that is made now. */
export function taskContext({ policies, now }: LedgerDeps): TaskContext {
  return { policies, now: now() }
}

/** As {@link taskContext}, for decisions that the merchant is told of. */
export function writeContext({ policies, notices, now }: LedgerDeps & Pick<WriteContext, 'notices'>): WriteContext {
  return { policies, notices, now: now() }
}
