/** A channel's secret is not what its channel needs. Names the field, never the value. */
export class KeyFormatError extends Error {
  override readonly name = 'KeyFormatError'
  readonly code = 'KEY_FORMAT'
  readonly field: string

  constructor(channelKind: string, field: string, problem: string) {
    super(
      `The ${channelKind} secret's field '${field}' ${problem}. Fill the secret again; docs/guide.md shows its form.`,
    )
    this.field = field
  }
}
