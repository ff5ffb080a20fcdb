const EXPECTED: ReadonlySet<string> = new Set(['PORT_TAKEN', 'NO_ENGINE', 'STATE_IN_USE', 'TABLE_DIFFERS'])

/** An error that a person can mend at once: its message is one clear sentence and needs no stack. */
export function isExpected(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && EXPECTED.has(error.code)
}
