import { CodeUnreadableError } from '../codes/errors.ts'
import { errorFields, log } from '../runtime/telemetry/log.ts'
import { type Answer, OrdersError, problemAnswer } from './problem.ts'

const RETRY_AFTER_S = 2

/**
 * The answer to whatever a request ended in: refusals as they are, a ledger that did not answer as 503, the rest as a bug.
 * A 503 may hide a write that went through: every route is safe to repeat with the same content.
 */
export function errorAnswer(error: unknown, requestId: string): Answer {
  if (error instanceof OrdersError) {
    // The gateway's access log has route and status of each request; only the code is not in it.
    log('INFO', 'A request was refused.', { requestId, code: error.code })
    return problemAnswer(error)
  }
  log('ERROR', 'A request of the orders API failed.', { requestId, ...errorFields(error) })
  if (isUnavailable(error)) {
    return problemAnswer(
      new OrdersError('LEDGER_UNAVAILABLE', 'Send the same request again; it is never carried out twice.', {
        retryAfterS: RETRY_AFTER_S,
      }),
    )
  }
  if (error instanceof CodeUnreadableError) return problemAnswer(new OrdersError('CODE_UNREADABLE', error.message))
  return problemAnswer(
    new OrdersError('INTERNAL', `Look for request ${requestId} in the log of the function 'orders' and report it.`),
  )
}

const THROTTLED = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'TransactionInProgressException',
])
const NO_ANSWER = new Set(['TimeoutError', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'ETIMEDOUT'])

/** The SDK's errors after its own tries: throttled, no answer in time, or the service's own fault. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (THROTTLED.has(error.name) || NO_ANSWER.has(error.name)) return true
  if ('code' in error && typeof error.code === 'string' && NO_ANSWER.has(error.code)) return true
  return '$fault' in error && error.$fault === 'server'
}
