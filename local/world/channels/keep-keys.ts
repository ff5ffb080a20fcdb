import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Keys by name, as text (PEM or the channel's own form). */
export type Keys = Readonly<Record<string, string>>

/**
 * The keys of a channel: made at the first start, kept in a file that only its owner can read.
 * @param make makes all of them; called once in the life of the folder
 */
export async function keepKeys(folder: string, name: string, make: () => Promise<Keys> | Keys): Promise<Keys> {
  const path = join(folder, `${name}.keys.json`)
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // Renamed when complete, so that a kill in between leaves no half of a key pair.
    writeFileSync(`${path}.new`, JSON.stringify(await make(), undefined, 2), { mode: 0o600 })
    renameSync(`${path}.new`, path)
  }
  return JSON.parse(readFileSync(path, 'utf8')) as Keys
}

/** @throws Error when the file lacks the key: it was edited by hand */
export function keyOf(keys: Keys, name: string): string {
  const key = keys[name]
  if (key === undefined)
    throw new Error(`The key file of a simulator has no '${name}'. Delete the file to get new keys.`)
  return key
}
