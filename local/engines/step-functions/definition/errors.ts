/** A definition that cannot be run here; the message names the state and the feature. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError'
  readonly code = 'InvalidDefinition'
}
