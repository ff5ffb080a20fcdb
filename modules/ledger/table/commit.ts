import { randomUUID } from 'node:crypto'
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb'
import { TransactWriteCommand, type TransactWriteCommandInput, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { Instant } from '../../core/instant.ts'
import { backOffFromConflict, MAX_TRIES, waitForRecovery } from './back-off-from-conflict.ts'
import type { Ledger } from './client.ts'
import { type Found, failedArms } from './conditions.ts'
import type { Key } from './keys.ts'
import type { Update, Write } from './make-write.ts'
import { toTransactItem, toUpdateInput } from './to-transact-item.ts'

/** A write whose condition did not hold, with the row that stood in its way. */
export interface Loss {
  readonly write: Write
  readonly key: Key
  /** Names of the condition's arms that the row made fail. */
  readonly arms: readonly string[]
  readonly found: Found
}

export type Commit =
  | { readonly kind: 'done' }
  /** Somebody was faster or the world moved on: an answer, not an error. Read again and decide again. */
  | { readonly kind: 'lost'; readonly losses: readonly Loss[] }
  /** Other transactions kept touching the same rows: try the whole thing later. */
  | { readonly kind: 'conflict' }
  /** DynamoDB calls the request itself wrong: retrying cannot help. */
  | { readonly kind: 'bug'; readonly message: string }

/** A single update that was made, with the row as it is now. */
export type Updated =
  | { readonly kind: 'done'; readonly row: Record<string, unknown> }
  | Exclude<Commit, { kind: 'done' }>

/**
 * The only caller of TransactWriteItems: turns every outcome into done, lost, conflict or bug.
 * A follow-up marked `optional` that exists already is left out and the rest tried again.
 * @throws the SDK's error when DynamoDB did not answer: the caller's trigger comes again, and the conditions make that safe
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
    await backOffFromConflict(attempt)
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
  const result = await updateUntilNoConflict(ledger, write, now, 'NONE')
  return result.kind === 'done' ? { kind: 'done' } : result
}

/** As {@link updateOne}, and gives the row as it is after the write. */
export function updateAndRead(ledger: Ledger, write: Update, now: Instant): Promise<Updated> {
  return updateUntilNoConflict(ledger, write, now, 'ALL_NEW')
}

async function updateUntilNoConflict(
  ledger: Ledger,
  write: Update,
  now: Instant,
  returned: 'NONE' | 'ALL_NEW',
): Promise<Updated> {
  const input = { ...toUpdateInput(ledger.table, write, now), ReturnValues: returned }
  for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
    try {
      const { Attributes: row = {} } = await ledger.client.send(new UpdateCommand(input))
      return { kind: 'done', row }
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) {
        return { kind: 'lost', losses: [lossOf(write, error.Item)] }
      }
      if (!(error instanceof TransactionConflictException)) return bugOrThrow(error)
    }
    await backOffFromConflict(attempt)
  }
  return { kind: 'conflict' }
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
        await waitForRecovery()
        continue
      }
      return error instanceof TransactionCanceledException ? whyCanceled(error, writes) : bugOrThrow(error)
    }
  }
}

function whyCanceled(error: TransactionCanceledException, writes: readonly Write[]): Commit {
  const reasons = error.CancellationReasons ?? []
  const codes = reasons.map((reason) => reason.Code ?? 'None')
  if (codes.includes('ValidationError')) return { kind: 'bug', message: describe(reasons) }
  const losses = writes.flatMap((write, index): Loss[] => {
    const reason = reasons[index]
    return reason?.Code === 'ConditionalCheckFailed' ? [lossOf(write, reason.Item)] : []
  })
  if (losses.length > 0) return { kind: 'lost', losses }
  if (codes.some((code) => RETRIED.has(code))) return { kind: 'conflict' }
  return { kind: 'bug', message: describe(reasons) }
}

function lossOf(write: Write, item: Parameters<typeof unmarshall>[0] | undefined): Loss {
  const found = item === undefined ? undefined : unmarshall(item)
  const { pk, sk } = write.op === 'put' ? write.item : write.key
  return { write, key: { pk, sk }, arms: failedArms(write.when, found), found }
}

function bugOrThrow(error: unknown): Extract<Commit, { kind: 'bug' }> {
  if (error instanceof Error && error.name === 'ValidationException') return { kind: 'bug', message: error.message }
  throw error
}

const RETRIED = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])

function describe(
  reasons: readonly { readonly Code?: string | undefined; readonly Message?: string | undefined }[],
): string {
  return reasons.map((reason, index) => `${index}: ${reason.Code ?? 'None'} ${reason.Message ?? ''}`).join('; ')
}
