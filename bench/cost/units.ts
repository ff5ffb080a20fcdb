import { type Item, itemBytes } from './item-size.ts'

const KB = 1024

/** Index keys of the ledger: index name to its partition and sort key. KEYS_ONLY. Source: docs/design/keys-and-rows.md */
export const indexes: Readonly<Record<string, readonly [string, string]>> = {
  due: ['duePk', 'dueAt'],
  find: ['findPk', 'findSk'],
}

/**
 * Write units of one item: by its larger image, in steps of 1 KB; twice that in a transaction.
 * A condition check costs what a write of the item would.
 * Source: DynamoDB Developer Guide, "Read and write operations"
 */
export function writeUnits(before: Item | undefined, after: Item | undefined, transactional: boolean): number {
  const bytes = Math.max(...[before, after].map((image) => (image === undefined ? 0 : itemBytes(image))))
  return Math.max(1, Math.ceil(bytes / KB)) * (transactional ? 2 : 1)
}

/**
 * Write units of the indexes for one change of an item. An entry that comes, goes or whose key stays costs one write or none; an
 * entry whose key changes is deleted and put. Never doubled by a transaction: indexes follow after it.
 * Source: DynamoDB Developer Guide, "Write capacity units" of global secondary indexes
 */
export function indexUnits(before: Item | undefined, after: Item | undefined): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(indexes).map(([index, names]) => {
      const [old, fresh] = [entryOf(before, names), entryOf(after, names)]
      if (old?.key === fresh?.key) return [index, 0]
      return [index, (old?.units ?? 0) + (fresh?.units ?? 0)]
    }),
  )
}

function entryOf(item: Item | undefined, [partition, sort]: readonly [string, string]) {
  const [pk, sk, indexPk, indexSk] = [item?.['pk'], item?.['sk'], item?.[partition], item?.[sort]]
  if (pk === undefined || sk === undefined || indexPk === undefined || indexSk === undefined) return undefined
  const bytes = itemBytes({ pk, sk, [partition]: indexPk, [sort]: indexSk })
  return { key: `${indexPk.S}\n${indexSk.S}`, units: Math.ceil(bytes / KB) }
}

/**
 * Read units of items read one by one (BatchGetItem): each rounded up to 4 KB; a key without an item costs the least.
 * @param sizes bytes of each item, 0 for one that does not exist
 */
export function readUnits(sizes: readonly number[], consistent: boolean): number {
  return sizes.reduce((sum, bytes) => sum + Math.max(1, Math.ceil(bytes / (4 * KB))), 0) * (consistent ? 1 : 0.5)
}

/** Read units of a Query: its items together, rounded up once per page. */
export function queryUnits(sizes: readonly number[], consistent: boolean): number {
  return readUnits([sizes.reduce((sum, bytes) => sum + bytes, 0)], consistent)
}

/** SQS counts a request for each 64 KB of payload. */
export function sqsRequests(payloadBytes: number): number {
  return Math.max(1, Math.ceil(payloadBytes / (64 * KB)))
}
