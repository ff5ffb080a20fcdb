import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/**
 * The secret of a machine client of the local user pool, drawn once for a state folder and kept in the file at `path`, which only
 * its owner reads: with a secret that everybody knows, any page could ask the issuer for a token.
 */
export function keepClientSecret(path: string): string {
  if (!existsSync(path)) writeFileSync(path, randomBytes(32).toString('base64url'), { mode: 0o600 })
  return readFileSync(path, 'utf8').trim()
}
