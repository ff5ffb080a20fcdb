import { backOff } from './back-off.ts'
import { type Instant, msOf, plusMs } from './instant.ts'
import type { Outcome } from './outcome.ts'
import type { TaskPolicy } from './task-policies.ts'

export type TaskDecision =
  | { readonly kind: 'succeed' }
  | { readonly kind: 'retry'; readonly nextExecuteAt: Instant; readonly retryCount: number; readonly rule: string }
  /** No retry used: the fault is ours and holds for every order of the channel. */
  | { readonly kind: 'pause'; readonly nextExecuteAt: Instant; readonly rule: string }
  | { readonly kind: 'manual' | 'close'; readonly reason: string; readonly rule: string }

/** How long a task waits whose channel is misconfigured: one alarm, no ticket per order. */
export const MISCONFIGURED_PAUSE_MS = 5 * 60 * 1000

/**
 * What becomes of a task after one real attempt. Its end is a value: success, another time, or a person; never silence.
 * @param task retries used so far and the deadline (parked time already added)
 * @param jitter in [0, 1)
 * Source: design.md section 5, Outcomes; seeds 000 (section 8), 003
 */
export function decideRetry(
  task: { readonly retryCount: number; readonly deadlineAt: Instant },
  outcome: Outcome,
  policy: TaskPolicy,
  now: Instant,
  jitter: number,
): TaskDecision {
  switch (outcome.kind) {
    case 'done':
      return { kind: 'succeed' }
    case 'rejected':
    case 'mismatch':
      return { kind: 'manual', reason: outcome.code ?? outcome.kind.toUpperCase(), rule: outcome.kind }
    case 'misconfigured':
      return { kind: 'pause', nextExecuteAt: plusMs(now, MISCONFIGURED_PAUSE_MS), rule: 'misconfigured' }
    case 'notYet':
    case 'transient':
    case 'unknown':
      return again(task, outcome, policy, now, jitter)
  }
}

function again(
  task: { readonly retryCount: number; readonly deadlineAt: Instant },
  outcome: Outcome,
  policy: TaskPolicy,
  now: Instant,
  jitter: number,
): TaskDecision {
  const end = policy.exhausted === 'MANUAL' ? 'manual' : 'close'
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
