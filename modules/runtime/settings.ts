/** A setting of the function's environment is missing or not of its form: the start fails, not the first payment. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
  readonly code = 'SETTING'
}

/** Reads one setting from its text, which is empty where the environment has none. @throws SettingError */
export type Setting<T> = (text: string, name: string) => T

/** What a function reads of its environment: `functions/<folder>/settings.ts`, which its construct is typed by, too. */
export type SettingsSchema = Readonly<Record<string, Setting<unknown>>>

export type Settings<Schema extends SettingsSchema> = { readonly [Name in keyof Schema]: ReturnType<Schema[Name]> }

/** A text that must be there. */
export const text: Setting<string> = (value, name) => {
  if (value !== '') return value
  throw new SettingError(`The environment variable ${name} is missing. Deploy the stack again; infra/ sets it.`)
}

/** Texts separated by commas; none where the environment has none. */
export const list: Setting<readonly string[]> = (value) => value.split(',').filter((part) => part !== '')

/** A JSON value. `infra/config.ts` validated its shape at synth and is its only writer: this is the parsing edge. */
export function json<T>(): Setting<T> {
  return (value, name) => {
    try {
      return JSON.parse(text(value, name)) as T
    } catch (cause) {
      if (cause instanceof SettingError) throw cause
      const message = `The environment variable ${name} is no JSON. Deploy the stack again; infra/ sets it.`
      throw new SettingError(message, { cause })
    }
  }
}

/**
 * Every setting of a function, read as it starts. The one place that reads the environment.
 * @throws SettingError naming the first that is missing or not of its form
 */
export function readSettings<Schema extends SettingsSchema>(schema: Schema): Settings<Schema> {
  const entries = Object.entries(schema).map(([name, read]) => [name, read(process.env[name] ?? '', name)])
  return Object.fromEntries(entries) as Settings<Schema>
}
