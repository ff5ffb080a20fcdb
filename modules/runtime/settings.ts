/** A setting of the function's environment is missing or not of its form: the start fails, not the first payment. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
  readonly code = 'SETTING'
}

/**
 * A text setting of this function's environment, put there by its construct.
 * @throws SettingError when it is absent
 */
export function setting(name: string): string {
  const value = process.env[name]
  if (value === undefined || value === '') {
    throw new SettingError(`The environment variable ${name} is missing. Deploy the stack again; infra/ sets it.`)
  }
  return value
}

/** A text setting that may be empty. */
export function optionalSetting(name: string): string {
  return process.env[name] ?? ''
}

/**
 * A JSON setting. Its shape was validated by `infra/config.ts` at synth, which is the only writer: this is the parsing edge.
 * @throws SettingError when it is absent or no JSON
 */
export function jsonSetting<T>(name: string): T {
  const text = setting(name)
  try {
    return JSON.parse(text) as T
  } catch (cause) {
    throw new SettingError(`The environment variable ${name} is no JSON. Deploy the stack again; infra/ sets it.`, {
      cause,
    })
  }
}
