import { backOff } from './back-off.ts'
import { type Instant, msOf, plusMs } from './instant.ts'
import type { Outcome } from './outcome.ts'
import type { TaskPolicy } from './task-policies.ts'

export type TaskDecision =
  | { readonly kind: 'succeed' }
  | { readonly kind: 'retry'; readonly nextExecuteAt: Instant; readonly retryCount: number; readonly rule: string }
  /** No retry used: the fault is ours and holds for every order of the channel, or a handler waits for a moment of its own. */
  | { readonly kind: 'pause'; readonly nextExecuteAt: Instant; readonly rule: string }
  | { readonly kind: 'manual' | 'close'; readonly reason: string; readonly rule: string }

/** How long a task waits whose channel is misconfigured: one alarm, no ticket per order. */
export const MISCONFIGURED_PAUSE_MS = 5 * 60 * 1000
/** For so long a misconfigured channel may keep a task. Source: ADR 0016. */
export const MISCONFIGURED_MAX_MS = 24 * 60 * 60 * 1000

/** What a decision needs of a task. */
export interface RetryState {
  readonly retryCount: number
  /** Parked and paused time added already. */
  readonly deadlineAt: Instant
  /** Since when each attempt has met a misconfigured channel. */
  readonly misconfiguredSince?: Instant | undefined
}

/** By what a task's next time is decided, and when. */
export interface RetryRules {
  readonly policy: TaskPolicy
  readonly now: Instant
  /** In [0, 1). */
  readonly jitter: number
}

/**
 * What becomes of a task after one real attempt. Its end is a value: success, another time, or a person; never silence.
 * Source: docs/design/outcomes.md; docs/adr/0016-misconfigured.md
 */
export function decideRetry(task: RetryState, outcome: Outcome, rules: RetryRules): TaskDecision {
  const { policy, now } = rules
  switch (outcome.kind) {
    case 'done':
      return { kind: 'succeed' }
    case 'rejected':
    case 'mismatch':
      // What may end without a person is no person's matter for being refused, either: it climbs its ladder.
      if (policy.exhausted === 'CLOSED') return again(task, outcome, rules)
      return { kind: 'manual', reason: outcome.code ?? outcome.kind.toUpperCase(), rule: outcome.kind }
    case 'misconfigured':
      // What is perhaps wrong with this request alone would wait for ever behind a pause.
      return outcome.suspect === 'request' ? again(task, outcome, rules) : pause(task, policy, now)
    case 'notYet':
    case 'transient':
    case 'unknown':
      return again(task, outcome, rules)
  }
}

function pause({ misconfiguredSince }: RetryState, policy: TaskPolicy, now: Instant): TaskDecision {
  if (misconfiguredSince !== undefined && msOf(now) >= msOf(misconfiguredSince) + MISCONFIGURED_MAX_MS) {
    return { kind: endOf(policy), reason: 'MISCONFIGURED_TOO_LONG', rule: 'a day misconfigured' }
  }
  return { kind: 'pause', nextExecuteAt: plusMs(now, MISCONFIGURED_PAUSE_MS), rule: 'misconfigured' }
}

function again(task: RetryState, outcome: Outcome, { policy, now, jitter }: RetryRules): TaskDecision {
  const end = endOf(policy)
  if (msOf(now) >= msOf(task.deadlineAt)) return { kind: end, reason: 'TOTAL_TIME_USED_UP', rule: 'total time' }
  const next = backOff(policy.ladder, task.retryCount + 1, jitter, outcome.retryAfterMs)
  if (next.kind === 'exhausted') return { kind: end, reason: 'RETRIES_USED_UP', rule: next.rule }
  return {
    kind: 'retry',
    nextExecuteAt: plusMs(now, next.delayMs),
    retryCount: task.retryCount + 1,
    rule: next.rule,
  }
}

function endOf({ exhausted }: TaskPolicy): 'manual' | 'close' {
  return exhausted === 'MANUAL' ? 'manual' : 'close'
}
