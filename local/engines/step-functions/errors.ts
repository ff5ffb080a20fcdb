/** Why a state or an execution failed, as `$states.errorOutput` and the API show it. */
export interface Failure {
  readonly error: string
  readonly cause: string | undefined
}

/** A failure as somebody named it: a Fail state, or a caller who stops an execution, may leave out either. */
export type FailureText = { readonly [Part in keyof Failure]?: string | undefined }

/** Thrown while a state is worked on: the state's Retry and Catch decide what follows. */
export class StateError extends Error {
  override readonly name = 'StateError'
  readonly failure: Failure

  constructor(error: string, cause: string) {
    super(`${error}: ${cause}`)
    this.failure = { error, cause }
  }
}

/** What was thrown while a state was worked on; anything but a StateError is a bug, which no Retry or Catch handles. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof StateError) return thrown.failure
  return { error: 'States.Runtime', cause: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) }
}
