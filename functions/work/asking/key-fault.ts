/** Of errors that say that a key of ours is missing or has the wrong form; what needs it was not sent. */
const KEY_CODES: ReadonlySet<unknown> = new Set(['SECRET_MISSING', 'SIGNING_KEY', 'KEY_FORMAT'])

/** Whether a person must fill in a key: a fault of ours that every call of the lane has. */
export function isKeyFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && KEY_CODES.has(error.code)
}
