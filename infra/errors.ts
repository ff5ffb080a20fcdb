/** A setting that must not be deployed. Its message is one sentence per fault, each naming the setting. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly code = 'CONFIG'
}
