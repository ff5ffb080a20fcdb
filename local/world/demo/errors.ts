/** An answer that the plan did not expect: the demonstration itself is broken, or Backstop is. */
export class DemoError extends Error {
  override readonly name = 'DemoError'
  readonly code = 'DEMO'
}
