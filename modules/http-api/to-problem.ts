import { isUnavailable } from '../runtime/is-unavailable.ts'
import { errorFields, log } from '../runtime/telemetry/log.ts'
import { ProblemError } from './problem.ts'

const RETRY_AFTER_S = 2

/** What a function says of its own errors. */
export interface ErrorWords {
  /** The function's folder, where a person looks for the request. */
  readonly functionName: string
  /** Errors of the function's own that are refusals and no bugs. */
  readonly refusalOf?: (error: unknown) => ProblemError | undefined
}

/**
 * The refusal that whatever a request ended in is answered with: refusals as they are, a ledger that did not answer as 503, the
 * rest as a bug. A 503 may hide a write that went through: every route is safe to repeat with the same content.
 */
export function toProblem(error: unknown, requestId: string, { functionName, refusalOf }: ErrorWords): ProblemError {
  if (error instanceof ProblemError) {
    // The gateway's access log has route and status of each request; only the code is not in it.
    log('INFO', 'A request was refused.', { requestId, code: error.code })
    return error
  }
  log('ERROR', 'A request of the API failed.', { requestId, ...errorFields(error) })
  if (isUnavailable(error)) {
    return new ProblemError('LEDGER_UNAVAILABLE', 'Send the same request again; it is never carried out twice.', {
      retryAfterS: RETRY_AFTER_S,
    })
  }
  const where = `Look for request ${requestId} in the log of the function '${functionName}' and report it.`
  return refusalOf?.(error) ?? new ProblemError('INTERNAL', where)
}
