import type { ChannelId } from '../../core/ids.ts'
import type { Instant } from '../../core/instant.ts'
import type { Verdict } from '../../core/verdict.ts'
import type { Ledger } from '../table/client.ts'
import { updateAndRead } from '../table/commit.ts'
import { oneOf, rowExists, rowIsNew, rowIsNewOr } from '../table/conditions.ts'
import { callbackSk, type Key } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import { type CallbackRow, readRowOf } from '../table/rows.ts'
import { optional, put, update, upsert } from '../table/writes.ts'

/** A callback as it shall be kept: its text compressed in the row, or under a key in the bucket when that is too large. */
export interface CallbackRecord {
  readonly channel: ChannelId
  readonly eventId: string
  readonly receivedAt: Instant
  readonly keyId: string
  readonly headers: Readonly<Record<string, string>>
  readonly bodySha256: string
  /** Of what was signed, where that is not the body's bytes. */
  readonly identity?: string | undefined
  readonly raw: { readonly gzip: Uint8Array } | { readonly s3Key: string }
}

/** Other writers kept the callback's row busy, or it is no callback's: the message comes again. */
export class CallbackNotKeptError extends Error {
  override readonly name = 'CallbackNotKeptError'
  readonly code = 'CALLBACK_NOT_KEPT'

  constructor({ pk, sk }: Key, why: string) {
    super(`The callback ${pk} / ${sk} could not be kept: ${why}. Its message comes again.`)
  }
}

/**
 * Keeps a callback before anything is decided from it. The same bytes again only raise `seen`; the first verdict stays.
 * One write, safe to repeat.
 * @returns the row as it is now: a verdict other than `received` or `parked` says that it was booked before
 * @throws CallbackNotKeptError
 */
export async function recordCallback(
  ledger: Ledger,
  pk: string,
  record: CallbackRecord,
  now: Instant,
): Promise<CallbackRow> {
  const key = callbackKey(pk, record)
  const { seen: _, ...once } = contentOf(record, 'received')
  const write = upsert({ ...key, et: 'CALLBACK' }, once, rowIsNewOr('CALLBACK'), { add: { seen: 1 } })
  const result = await updateAndRead(ledger, write, now)
  if (result.kind !== 'done') throw new CallbackNotKeptError(key, result.kind)
  return readRowOf('CALLBACK', result.row)
}

/** A callback that nobody has kept yet, with its verdict, as part of the transaction that it leads to: one write for both. */
export function keepCallback(pk: string, record: CallbackRecord, verdict: Verdict): Write {
  return put({ ...callbackKey(pk, record), et: 'CALLBACK', ...contentOf(record, verdict) }, rowIsNew)
}

function contentOf({ raw, headers, ...record }: CallbackRecord, verdict: Verdict) {
  const { channel, eventId, receivedAt, keyId, bodySha256, identity } = record
  const signed = identity === undefined ? {} : { identity }
  const text = 'gzip' in raw ? { raw: raw.gzip } : { rawKey: raw.s3Key }
  return {
    channel,
    eventId,
    verdict,
    receivedAt,
    keyId,
    headers: { ...headers },
    bodySha256,
    seen: 1,
    ...signed,
    ...text,
  }
}

/**
 * The verdict of a kept callback, as part of the transaction that it led to. Copies of one notice may be booked at the same time:
 * one that came to nothing new never covers what another one decided, and its transaction goes on without this write.
 */
export function setVerdict(key: Key, verdict: Verdict): Write {
  const target = { pk: key.pk, sk: key.sk, et: 'CALLBACK' } as const
  const yieldsTo = YIELDING[verdict]
  if (yieldsTo === undefined) return update(target, { set: { verdict } }, rowExists)
  return optional(update(target, { set: { verdict } }, oneOf('verdictIsOpen', 'verdict', yieldsTo)))
}

/** Verdicts that decide nothing, and those that they may replace. */
const YIELDING: { readonly [V in Verdict]?: readonly Verdict[] } = {
  parked: ['received', 'parked'],
  duplicate: ['received', 'parked', 'orphan'],
}

export function callbackKey(
  pk: string,
  record: Pick<CallbackRecord, 'channel' | 'eventId' | 'bodySha256' | 'identity'>,
): Key {
  return { pk, sk: callbackSk(record.channel, record.eventId, identityOf(record)) }
}

/** By what two callbacks are one: the digest of what was signed, which is mostly the body. */
export function identityOf({ identity, bodySha256 }: Pick<CallbackRecord, 'identity' | 'bodySha256'>): string {
  return identity ?? bodySha256
}
