const THROTTLED: ReadonlySet<string> = new Set([
  'ThrottlingException',
  'Throttling',
  'TooManyRequestsException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'TransactionInProgressException',
  'SlowDown',
])
const NO_ANSWER: ReadonlySet<string> = new Set([
  'TimeoutError',
  // The ledger's own word for keys that a throttled read left out, time after time.
  'UnansweredError',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
])

/**
 * Whether a service of ours did not take part: throttled, no answer in time, or the service's own fault, after the SDK's tries.
 * Everything else is an answer (access denied, not found) or a bug of ours, and keeps its own name.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (THROTTLED.has(error.name) || NO_ANSWER.has(error.name)) return true
  if ('code' in error && typeof error.code === 'string' && NO_ANSWER.has(error.code)) return true
  return '$fault' in error && error.$fault === 'server'
}
