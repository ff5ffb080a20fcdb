/** The waits between tries. Times in ms. Steps are used up in order; then each `thenEveryMs`, or the end. */
export type Ladder =
  | { readonly kind: 'steps'; readonly stepsMs: readonly number[]; readonly thenEveryMs?: number }
  /** `baseMs × factor^n`, at most `capMs`; `retries` tries in all; as in 60 s × 2^n. */
  | {
      readonly kind: 'exponential'
      readonly baseMs: number
      readonly factor: number
      readonly capMs: number
      readonly retries: number
    }
  /** `stepMs × n`, as in 60 s × retry. */
  | { readonly kind: 'linear'; readonly stepMs: number; readonly retries: number }

export type BackOff =
  | {
      readonly kind: 'retry'
      readonly delayMs: number
      /** Which rung set the time, for the attempt row and the person who asks why. */
      readonly rule: string
    }
  | { readonly kind: 'exhausted'; readonly rule: string }

/** Share of a step by which jitter may move it either way. */
export const JITTER_SHARE = 0.1

/** The other side's Retry-After is honoured up to this. */
export const RETRY_AFTER_CAP_MS = 60 * 60 * 1000

/** How often a ladder retries before it ends; `undefined` when only the total time ends it. */
export function retriesOf(ladder: Ladder): number | undefined {
  if (ladder.kind !== 'steps') return ladder.retries
  return ladder.thenEveryMs === undefined ? ladder.stepsMs.length : undefined
}

/**
 * The wait before retry number `retry`.
 * @param retry 1 for the first retry
 * @param jitter in [0, 1), passed in so that this stays a pure function; 0.5 is the step itself
 * @param retryAfterMs the other side's wish: lengthens a step, up to a cap, never shortens it
 * @throws RangeError when retry < 1 or jitter is outside [0, 1): a bug in the caller
 * Source: https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/
 */
export function backOff(ladder: Ladder, retry: number, jitter: number, retryAfterMs = 0): BackOff {
  if (!Number.isInteger(retry) || retry < 1) throw new RangeError('The first retry is number 1.')
  if (!(jitter >= 0 && jitter < 1)) throw new RangeError('Jitter lies in [0, 1).')
  const step = stepMs(ladder, retry)
  if (step === undefined) return { kind: 'exhausted', rule: `${ladder.kind} ended after ${retry - 1}` }
  const jittered = Math.round(step * (1 - JITTER_SHARE + 2 * JITTER_SHARE * jitter))
  const wished = Math.min(retryAfterMs, RETRY_AFTER_CAP_MS)
  return wished > jittered
    ? { kind: 'retry', delayMs: wished, rule: 'Retry-After' }
    : { kind: 'retry', delayMs: jittered, rule: `${ladder.kind} ${retry}` }
}

function stepMs(ladder: Ladder, retry: number): number | undefined {
  switch (ladder.kind) {
    case 'steps':
      return ladder.stepsMs[retry - 1] ?? ladder.thenEveryMs
    case 'exponential':
      return retry > ladder.retries ? undefined : Math.min(ladder.baseMs * ladder.factor ** (retry - 1), ladder.capMs)
    case 'linear':
      return retry > ladder.retries ? undefined : ladder.stepMs * retry
  }
}
