import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb'
import { TransactWriteCommand, type TransactWriteCommandInput, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { Instant } from '../../core/instant.ts'
import type { Ledger } from './client.ts'
import { toTransactItem, type Update, type Write } from './writes.ts'

/** A write whose condition did not hold, with the row that stood in its way. */
export interface Loss {
  readonly write: Write
  readonly found: Record<string, unknown> | undefined
}

export type Commit =
  | { readonly kind: 'done' }
  /** Somebody was faster or the world moved on: an answer, not an error. Read again and decide again. */
  | { readonly kind: 'lost'; readonly losses: readonly Loss[] }
  /** Other transactions kept touching the same rows: try the whole thing later. */
  | { readonly kind: 'conflict' }
  /** DynamoDB calls the request itself wrong: retrying cannot help. */
  | { readonly kind: 'bug'; readonly message: string }

/** Tries of one transaction while others touch the same rows. Source: docs/design/keys-and-rows.md, Transactions */
export const MAX_TRIES = 5
const CONFLICT_BASE_MS = 25
/**
 * Recovery of a stuck transaction starts 5 s after its first try at the earliest.
 * Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */
const IN_PROGRESS_WAIT_MS = 1500

/**
 * The only caller of TransactWriteItems: turns every outcome into done, lost, conflict or bug.
 * A follow-up marked `optional` that exists already is left out and the rest tried again.
 * @throws the SDK's error when DynamoDB did not answer: the caller's trigger comes again, and the conditions make that safe
 * Source: docs/design/keys-and-rows.md, Transactions
 */
export async function commit(ledger: Ledger, writes: readonly Write[], now: Instant): Promise<Commit> {
  let remaining = writes
  for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
    const result = await tryOnce(ledger, remaining, now)
    if (result.kind === 'lost' && result.losses.every(({ write }) => write.optional === true)) {
      const present = new Set(result.losses.map(({ write }) => write))
      remaining = remaining.filter((write) => !present.has(write))
      if (remaining.length === 0) return { kind: 'done' }
      continue
    }
    if (result.kind !== 'conflict') return result
    if (attempt < MAX_TRIES) await sleep(Math.random() * CONFLICT_BASE_MS * 2 ** attempt)
  }
  return { kind: 'conflict' }
}

/**
 * One update with its condition, for half of what a transaction of it costs. It has no token: where an answer was lost, the SDK's
 * second try meets its own write and is told `lost`. So it is for callers who answer `lost` by looking again, and for rows that
 * no other row must change with.
 * @throws the SDK's error when DynamoDB did not answer
 */
export async function updateOne(ledger: Ledger, write: Update, now: Instant): Promise<Commit> {
  for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
    const result = await updateOnce(ledger, write, now)
    if (result.kind !== 'conflict') return result
    if (attempt < MAX_TRIES) await sleep(Math.random() * CONFLICT_BASE_MS * 2 ** attempt)
  }
  return { kind: 'conflict' }
}

async function updateOnce(ledger: Ledger, write: Update, now: Instant): Promise<Commit> {
  const { Update: input } = toTransactItem(ledger.table, write, now)
  if (input === undefined) throw new TypeError('An update became something else.')
  try {
    await ledger.client.send(new UpdateCommand(input))
    return { kind: 'done' }
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      return { kind: 'lost', losses: [{ write, found: error.Item === undefined ? undefined : unmarshall(error.Item) }] }
    }
    if (error instanceof TransactionConflictException) return { kind: 'conflict' }
    return whyNot(error, [write])
  }
}

async function tryOnce(ledger: Ledger, writes: readonly Write[], now: Instant): Promise<Commit> {
  // Random per built request: the SDK's own re-sends of these bytes are one transaction, a new process's are not.
  const input: TransactWriteCommandInput = {
    ClientRequestToken: randomUUID(),
    TransactItems: writes.map((write) => toTransactItem(ledger.table, write, now)),
  }
  for (let attempt = 1; ; attempt++) {
    try {
      await ledger.client.send(new TransactWriteCommand(input))
      return { kind: 'done' }
    } catch (error) {
      if (error instanceof TransactionInProgressException && attempt < MAX_TRIES) {
        await sleep(IN_PROGRESS_WAIT_MS)
        continue
      }
      return whyNot(error, writes)
    }
  }
}

function whyNot(error: unknown, writes: readonly Write[]): Commit {
  if (error instanceof TransactionCanceledException) {
    const reasons = error.CancellationReasons ?? []
    const codes = reasons.map((reason) => reason.Code ?? 'None')
    if (codes.includes('ValidationError')) return { kind: 'bug', message: describe(reasons) }
    const losses = writes.flatMap((write, index): Loss[] => {
      const reason = reasons[index]
      return reason?.Code === 'ConditionalCheckFailed'
        ? [{ write, found: reason.Item === undefined ? undefined : unmarshall(reason.Item) }]
        : []
    })
    if (losses.length > 0) return { kind: 'lost', losses }
    if (codes.some((code) => RETRIED.has(code))) return { kind: 'conflict' }
    return { kind: 'bug', message: describe(reasons) }
  }
  if (error instanceof Error && error.name === 'ValidationException') return { kind: 'bug', message: error.message }
  throw error
}

const RETRIED = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])

function describe(
  reasons: readonly { readonly Code?: string | undefined; readonly Message?: string | undefined }[],
): string {
  return reasons.map((reason, index) => `${index}: ${reason.Code ?? 'None'} ${reason.Message ?? ''}`).join('; ')
}
