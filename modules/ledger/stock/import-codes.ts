import type { Sku } from '../../core/ids.ts'
import type { Instant } from '../../core/instant.ts'
import { spreadChange } from '../../core/stock.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { readRows } from '../read/queries.ts'
import type { Ledger } from '../table/client.ts'
import type { Commit } from '../table/commit.ts'
import { rowIsNew } from '../table/conditions.ts'
import { freeCodeKey, usedCodeKey } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import type { CodeRow } from '../table/rows.ts'
import { check, put } from '../table/writes.ts'
import { changeBucket } from './put-stock-writes.ts'
import { readStock, type SkuStock } from './read-stock.ts'

/** Codes of one transaction: each is a put and a check that it was never used, beside a few buckets. */
export const MAX_CODES_PER_TRANSACTION = 40
/** Buckets that one transaction fills, the emptiest: touching all would get into the way of orders. */
const FILLED_BUCKETS = 4

/** A code as it is kept. */
export type SealedCode = Pick<CodeRow, 'sku' | 'codeId' | 'keyId' | 'sealed'>

export type CodeImport =
  | { readonly kind: 'done'; readonly added: number }
  /** Others kept being faster; nothing of this call was written. */
  | { readonly kind: 'busy' }
  | Extract<Commit, { kind: 'bug' }>

/**
 * Takes in up to {@link MAX_CODES_PER_TRANSACTION} codes that are not there yet, free or used, and raises the sku's stock by as
 * many, all together or not at all. The same codes again add nothing.
 * @param codes no two of one id
 */
export async function importCodes(
  ledger: Ledger,
  sku: Sku,
  codes: readonly SealedCode[],
  now: () => Instant,
): Promise<CodeImport> {
  if (codes.length > MAX_CODES_PER_TRANSACTION) throw new RangeError('More codes than one transaction takes in.')
  const decided = await decideAndCommit<CodeImport>({ ledger, now }, async () => {
    const [fresh, stock] = await Promise.all([leaveOutKnown(ledger, codes), readStock(ledger, sku)])
    const value = { kind: 'done', added: fresh.length } as const
    if (fresh.length === 0) return { kind: 'answer', value }
    if (stock !== undefined) return { kind: 'commit', writes: importWrites(stock, fresh), value }
    return { kind: 'answer', value: { kind: 'bug', message: 'Codes came for a sku that is not counted.' } }
  })
  if (decided.kind === 'decided') return decided.value
  return decided.kind === 'bug' ? decided : { kind: 'busy' }
}

async function leaveOutKnown(ledger: Ledger, codes: readonly SealedCode[]): Promise<readonly SealedCode[]> {
  const keys = codes.flatMap(({ sku, codeId }) => [freeCodeKey(sku, codeId), usedCodeKey(sku, codeId)])
  const rows = await readRows(ledger, keys)
  return codes.filter((_, index) => rows[2 * index] === undefined && rows[2 * index + 1] === undefined)
}

function importWrites(stock: SkuStock, codes: readonly SealedCode[]): readonly Write[] {
  const { sku, buckets } = stock.sku
  const emptiest = stock.buckets
    .filter(({ bucket }) => bucket < buckets)
    .toSorted((a, b) => a.available - b.available)
    .slice(0, FILLED_BUCKETS)
  const spread = spreadChange(
    emptiest.map(({ available }) => available),
    codes.length,
  )
  return [
    ...codes.flatMap((code): readonly Write[] => [
      put({ ...freeCodeKey(sku, code.codeId), et: 'CODE', ...code }, rowIsNew),
      check(usedCodeKey(sku, code.codeId), rowIsNew),
    ]),
    ...emptiest.flatMap(({ bucket }, index) => changeBucket(sku, bucket, spread[index] ?? 0)),
  ]
}
