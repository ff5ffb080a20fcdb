import type { Instant } from '../../core/instant.ts'
import { plusMs } from '../../core/instant.ts'
import type { Ledger } from '../table/client.ts'
import { type Commit, updateOne } from '../table/commit.ts'
import { allOf, dueAtIs, isAbsent, rowExists, wakeIs } from '../table/conditions.ts'
import { duePkOf, type Key } from '../table/keys.ts'
import { update } from '../table/writes.ts'

/** The sweep asks again for a change whose publication it asked for, after this long; as for tasks. Source: docs/design/task-times.md */
export const REASK_MS = 5 * 60 * 1000

/** A mark could neither be written nor found: the change's trigger has to come again. */
export class MarkFailedError extends Error {
  override readonly name = 'MarkFailedError'
  readonly code = 'MARK_FAILED'

  constructor({ pk, sk }: Key, why: string) {
    super(`The journal row ${pk} / ${sk} could not be marked: ${why}.`)
  }
}

const journal = ({ pk, sk }: Key) => ({ et: 'JOURNAL', pk, sk }) as const

/** A journal row as the stream shows it: where it is, and the request that is being answered, if it was published before in vain. */
export interface Unpublished {
  readonly key: Key
  readonly wake?: Instant | undefined
}

/**
 * Marks a journal row whose publication failed, so that the sweep finds it at `dueAt`. Marks only rows that need one: a due entry
 * on every journal row would cost more than the whole publication (ADR 0013).
 * @throws MarkFailedError when the row carries no mark afterwards; the SDK's error when DynamoDB did not answer
 */
export async function markUnpublished(
  ledger: Ledger,
  { key, wake }: Unpublished,
  dueAt: Instant,
  now: Instant,
): Promise<void> {
  const change = { set: { duePk: duePkOf(key.pk), dueAt }, add: { publishTries: 1 } }
  // Where the sweep has asked anew, what was found out about this request is not the newest.
  const write =
    wake === undefined
      ? update(journal(key), change, unmarked)
      : update(journal(key), { ...change, remove: ['wake'] }, wakeIs(wake))
  mustBeMarked(await updateOne(ledger, write, now), key)
}

/** Takes the mark off a row that the bus has; not where the sweep has asked anew meanwhile, whose answer is another one's. */
export async function unmarkPublished(ledger: Ledger, key: Key, wake: Instant, now: Instant): Promise<void> {
  const write = update(journal(key), { remove: ['wake', 'duePk', 'dueAt'] }, wakeIs(wake))
  const result = await updateOne(ledger, write, now)
  if (result.kind === 'conflict' || result.kind === 'bug') throw new MarkFailedError(key, result.kind)
}

/**
 * Marks a row as due now whose stream record nobody handled.
 * @returns false when it carries a mark already: the sweep has it
 * @throws MarkFailedError when there is no such row; the SDK's error when DynamoDB did not answer
 */
export async function markDueNow(ledger: Ledger, key: Key, now: Instant): Promise<boolean> {
  const set = { duePk: duePkOf(key.pk), dueAt: now }
  const result = await updateOne(ledger, update(journal(key), { set }, unmarked), now)
  mustBeMarked(result, key)
  return result.kind === 'done'
}

/**
 * Asks for the publication of a marked row whose time has come: the stream sends.
 * @returns false when somebody else was there first
 */
export async function askToPublish(ledger: Ledger, key: Key, seenDueAt: Instant, now: Instant): Promise<boolean> {
  const set = { wake: now, dueAt: plusMs(now, REASK_MS) }
  const result = await updateOne(ledger, update(journal(key), { set }, dueAtIs(seenDueAt)), now)
  if (result.kind === 'bug') throw new MarkFailedError(key, result.message)
  return result.kind === 'done'
}

const unmarked = allOf(rowExists, isAbsent('duePk'))

/** Losing against a row that is there is losing against its mark; a row that is not there cannot be marked. */
function mustBeMarked(result: Commit, key: Key): void {
  if (result.kind === 'done') return
  if (result.kind === 'lost' && result.losses.some(({ found }) => found !== undefined)) return
  throw new MarkFailedError(key, result.kind === 'lost' ? 'there is no such row' : result.kind)
}
