import { TargetRefusedError } from './errors.ts'
import { fillInput } from './fill-input.ts'
import type { Failure, PendingInvocation } from './schedule.ts'

// Source: EventBridge Scheduler API reference, RetryPolicy.
const defaultRetries = 185
const defaultMaxAgeS = 86_400

const firstBackOffMs = 1_000
const longestBackOffMs = 600_000

/** Doubling from one second to ten minutes, without jitter: one machine has no herd. */
export const backOffMs = (attempt: number): number => Math.min(firstBackOffMs * 2 ** (attempt - 1), longestBackOffMs)

/**
 * What follows a failed try: the instant of the next one, or why there is none.
 * @param now ms since the epoch
 */
export function planRetry(invocation: PendingInvocation, error: unknown, now: number): { retryAt: number } | Failure {
  const { attempt, firedAt, target } = invocation
  const failure = { ...describeError(error), retries: attempt - 1, input: fillInput(invocation) }
  if (error instanceof TargetRefusedError) return { ...failure, exhausted: undefined }
  if (attempt > (target.RetryPolicy?.MaximumRetryAttempts ?? defaultRetries)) {
    return { ...failure, exhausted: 'MaximumRetryAttempts' }
  }
  const retryAt = now + backOffMs(attempt)
  const maxAgeMs = (target.RetryPolicy?.MaximumEventAgeInSeconds ?? defaultMaxAgeS) * 1000
  return retryAt - firedAt > maxAgeMs ? { ...failure, exhausted: 'MaximumEventAgeInSeconds' } : { retryAt }
}

function describeError(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: 'InternalError', message: String(error) }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return { code, message: error.message }
}
