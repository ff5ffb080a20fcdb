import type { NetworkErrorType, Outcome } from '../../core/outcome.ts'

/** Errors that happen before the first byte of a request: provably not sent. */
const BEFORE_SENDING: ReadonlySet<NetworkErrorType> = new Set(['connect-refused', 'connect-timeout', 'dns', 'tls'])

/** `transient` when the request was provably never sent, else `unknown`. Source: docs/design/outcomes.md */
export function outcomeOfFailure(networkErrorType: NetworkErrorType): Outcome {
  return { kind: BEFORE_SENDING.has(networkErrorType) ? 'transient' : 'unknown', networkErrorType }
}
