/** The secret of the code keys is not of its form. Names the field, never a value. */
export class CodeKeyFormatError extends Error {
  override readonly name = 'CodeKeyFormatError'
  readonly code = 'CODE_KEY_FORMAT'

  constructor(field: string) {
    super(
      `The secret CodeKeys has a wrong '${field}'. Restore its former version, then follow docs/guide.md to rotate it.`,
    )
  }
}

/** A code cannot be decrypted: its key is gone from the secret, or its row is not what was written. Never names the code. */
export class CodeUnreadableError extends Error {
  override readonly name = 'CodeUnreadableError'
  readonly code: 'CODE_KEY_MISSING' | 'CODE_TAMPERED'
  readonly codeId: string

  constructor(reason: 'CODE_KEY_MISSING' | 'CODE_TAMPERED', codeId: string, keyId: string, options?: ErrorOptions) {
    super(
      reason === 'CODE_KEY_MISSING'
        ? `Code ${codeId} is encrypted with the key '${keyId}', which the secret CodeKeys no longer has. Put it back under 'previous'.`
        : `Code ${codeId} does not open with its key: its row was changed by hand, or belongs to another sku. Restore the row.`,
      options,
    )
    this.code = reason
    this.codeId = codeId
  }
}
