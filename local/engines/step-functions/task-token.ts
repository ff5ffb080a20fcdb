import { createHash, randomUUID } from 'node:crypto'

/** Where a token leads: a branch of an execution. */
export interface TokenPlace {
  readonly executionId: number
  readonly branch: number
}

/** A new token; no two are equal, also not for attempts of the same state. */
export function mintToken({ executionId, branch }: TokenPlace): string {
  const text = `${executionId}.${branch}.${randomUUID()}`
  return Buffer.from(`${text}.${digest(text)}`).toString('base64')
}

/** Reads where a token leads, `undefined` for what is no token. It may have been used or have timed out. */
export function readToken(token: string): TokenPlace | undefined {
  const [executionId = '', branch = '', nonce = '', check] = Buffer.from(token, 'base64').toString().split('.')
  if (check !== digest(`${executionId}.${branch}.${nonce}`)) return undefined
  return { executionId: Number(executionId), branch: Number(branch) }
}

/** Tells a token from any other text; it guards nothing. */
const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 12)
