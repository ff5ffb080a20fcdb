import type { Instant } from '../../modules/core/instant.ts'
import type { Outcome } from '../../modules/core/outcome.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import type { Condition } from '../../modules/ledger/table/conditions.ts'
import type { Write } from '../../modules/ledger/table/make-write.ts'
import type { OrderRow, Row, TaskRow } from '../../modules/ledger/table/rows.ts'

/** What a handler sees: the task and its order from one consistent read, and the further rows that it asked for. */
export interface TaskView {
  readonly task: TaskRow
  readonly order?: OrderRow
  readonly rows: readonly Row[]
  readonly now: Instant
  /** Epochs of the gates' slots that were taken for this execution, by lane. */
  readonly passes?: Readonly<Record<string, number>>
}

/** The first look at a task, before anything goes out. */
export type Look =
  /** There is work: where it goes and under which key. */
  | { readonly kind: 'go'; readonly target: string; readonly idempotencyKey: string }
  /** Nothing is left to do: no attempt, one write, the reason kept. */
  | { readonly kind: 'moot'; readonly status: 'SUCCESS' | 'CLOSED'; readonly reason: string }
  /** Not now: a new time, no attempt. */
  | { readonly kind: 'park'; readonly until: Instant; readonly reason: string }
  /** No machine may go on. */
  | { readonly kind: 'escalate'; readonly reason: string; readonly message: string }

/** What an execution came to, with what is kept of it. */
export interface Execution {
  readonly outcome: Outcome
  readonly resultSnapshot?: Readonly<Record<string, unknown>>
  /**
   * The handler's own plan after a `notYet`, in place of the ladder's; uses no retry. A pause is added to the deadline, as parked
   * time is.
   */
  readonly next?: { readonly at: Instant; readonly rule: string; readonly isPause?: true }
  /** The place of the next way of delivery, when this one refused for good: the task goes on with it at once. */
  readonly interfaceIndex?: number
}

/** What else a finished execution changes, in the task's own transaction. */
export interface Effect {
  readonly writes: readonly Write[]
  /** True when `writes` already give the order back (they update it). */
  readonly releasesOrder: boolean
}

/** One type of task. `work/handlers/<task-type>.ts` exports one; policies stand in `core/task-policies.ts`. */
export interface TaskHandler {
  /** Further rows that it decides from. The order was read before: its revision in the claim's condition covers them. */
  readonly load?: (ledger: Ledger, task: TaskRow, order: OrderRow | undefined) => Promise<readonly Row[]>
  readonly look: (view: TaskView) => Look
  /** The outgoing call, or the work inside the ledger. Never throws for what can happen; throwing is a bug and counts as unknown. */
  readonly call: (view: TaskView) => Promise<Execution>
  /**
   * True when the answer holds only for the order as it was read: if anybody wrote the order meanwhile, the execution counts as
   * `notYet` and starts anew. Otherwise an outcome is a fact, and its effect is written on the order as it is now.
   */
  readonly restsOnOrder?: true
  /** The lanes whose gates the task passes before its claim; without it, its own lane unless that is internal. */
  readonly gates?: (view: TaskView) => readonly string[]
  /** True when the call tells the gate itself how each of its requests went. */
  readonly reportsToGate?: true
  /**
   * Whether the call looks at rows only and nothing goes out: then a lost race calls again with the rows as they are now, since
   * what was found is no fact yet.
   */
  readonly isLedgerWork?: (view: TaskView) => boolean
  /**
   * What follows from a `done`. Called again with fresh rows when the transaction was lost to another writer.
   * @param ours the condition that the order is still held by this execution
   */
  readonly commit?: (view: TaskView, ours: Condition) => Effect
}
