/**
 * What one outgoing call came to: a closed set, so that nothing is guessed from a status code twice.
 * - `notYet`: heard, nothing final · `transient`: provably not sent, or a read that may be repeated
 * - `unknown`: sent and no answer: ask before you repeat · `rejected`: final by the channel's table
 * - `mismatch`: done, but not what was asked · `misconfigured`: ours to mend
 * Source: docs/design/outcomes.md; docs/adr/0016-misconfigured.md
 */
export const outcomeKinds = ['done', 'notYet', 'transient', 'unknown', 'rejected', 'mismatch', 'misconfigured'] as const
export type OutcomeKind = (typeof outcomeKinds)[number]

/** How a connection failed, which decides between "never sent" and "may have arrived". */
export const networkErrorTypes = [
  'connect-refused',
  'connect-timeout',
  'dns',
  'tls',
  'timeout',
  'reset',
  'body-too-large',
  'address-not-allowed',
] as const
export type NetworkErrorType = (typeof networkErrorTypes)[number]

export interface Outcome {
  readonly kind: OutcomeKind
  /**
   * Of a `misconfigured`: what was refused is a parameter, so that perhaps this request alone is wrong (a wrong channelRef) and
   * not the account's key, signature or permission, which every request has.
   */
  readonly suspect?: 'request'
  /** Stable, for `lastErrorCode`; upper snake case. */
  readonly code?: string
  /** For a person; never a body, header, secret or personal detail. */
  readonly message?: string
  readonly httpStatus?: number
  readonly networkErrorType?: NetworkErrorType
  /** The other side's wish, in ms; honoured within bounds. */
  readonly retryAfterMs?: number
}
