import { createHash, randomUUID } from 'node:crypto'
import { z } from 'zod'

/** Where a token leads: a branch of an execution. */
export interface TokenPlace {
  readonly machine: string
  readonly executionId: number
  readonly branch: number
}

const tokenSchema = z.tuple([z.string(), z.int(), z.int(), z.string(), z.string()])

/** A new token; no two are equal, also not for attempts of the same state. */
export function mintToken({ machine, executionId, branch }: TokenPlace): string {
  const parts = [machine, executionId, branch, randomUUID()]
  return Buffer.from(JSON.stringify([...parts, digest(parts)])).toString('base64')
}

/** Reads where a token leads, `undefined` for what is no token. It may have been used or have timed out. */
export function readToken(token: string): TokenPlace | undefined {
  const parsed = tokenSchema.safeParse(parseToken(token))
  if (!parsed.success) return undefined
  const [machine, executionId, branch, nonce, check] = parsed.data
  return check === digest([machine, executionId, branch, nonce]) ? { machine, executionId, branch } : undefined
}

function parseToken(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64').toString())
  } catch {
    return undefined
  }
}

/** Tells a token from any other text; it guards nothing. */
function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 12)
}
