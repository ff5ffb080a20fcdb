import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { ChannelId } from '../../core/ids.ts'
import type { Instant } from '../../core/instant.ts'
import type { Ledger } from '../table/client.ts'
import { type Condition, rowIsNew } from '../table/conditions.ts'
import { callbackSk, type Key } from '../table/keys.ts'
import { retryConflicts } from '../table/retry-conflicts.ts'
import { type CallbackRow, callbackRow, type Verdict } from '../table/rows.ts'
import { toUpdate, type Write } from '../table/writes.ts'

/** A callback as it shall be kept: its text compressed in the row, or under a key in the bucket when that is too large. */
export interface CallbackRecord {
  readonly channel: ChannelId
  readonly eventId: string
  readonly receivedAt: Instant
  readonly keyId: string
  readonly headers: Readonly<Record<string, string>>
  readonly bodySha256: string
  readonly raw: { readonly gzip: Uint8Array } | { readonly s3Key: string }
}

/**
 * Keeps a callback before anything is decided from it. The same bytes again only raise `seen`; the first verdict stays.
 * One write, safe to repeat.
 * @returns the row as it is now: a verdict other than `received` or `parked` says that it was booked before
 */
export async function recordCallback(
  ledger: Ledger,
  pk: string,
  record: CallbackRecord,
  now: Instant,
): Promise<CallbackRow> {
  const update = toUpdate({ add: { seen: 1 } }, now)
  const once: Record<string, unknown> = { v: 1, ...contentOf(record, 'received') }
  const keep = Object.keys(once).map((name) => `#o_${name} = if_not_exists(#o_${name}, :o_${name})`)
  const command = new UpdateCommand({
    TableName: ledger.table,
    Key: callbackKey(pk, record),
    UpdateExpression: update.expression.replace(/^SET /, `SET ${keep.join(', ')}, `),
    ExpressionAttributeNames: {
      ...update.names,
      ...Object.fromEntries(Object.keys(once).map((name) => [`#o_${name}`, name])),
    },
    ExpressionAttributeValues: {
      ...update.values,
      ...Object.fromEntries(Object.entries(once).map(([name, value]) => [`:o_${name}`, value])),
    },
    ReturnValues: 'ALL_NEW',
  })
  const answer = await retryConflicts(() => ledger.client.send(command))
  return callbackRow.parse(answer.Attributes)
}

/** A callback that nobody has kept yet, with its verdict, as part of the transaction that it leads to: one write for both. */
export function keepCallback(pk: string, record: CallbackRecord, verdict: Verdict): Write {
  return {
    op: 'put',
    when: rowIsNew,
    item: { ...callbackKey(pk, record), ...contentOf(record, verdict), seen: 1 },
  }
}

function contentOf(record: CallbackRecord, verdict: Verdict): Readonly<Record<string, unknown>> {
  return {
    et: 'CALLBACK',
    channel: record.channel,
    eventId: record.eventId,
    verdict,
    receivedAt: record.receivedAt,
    keyId: record.keyId,
    headers: record.headers,
    bodySha256: record.bodySha256,
    ...('gzip' in record.raw ? { raw: record.raw.gzip } : { rawKey: record.raw.s3Key }),
  }
}

/**
 * The verdict of a kept callback, as part of the transaction that it led to. Copies of one notice may be booked at the same time:
 * one that came to nothing new never covers what another one decided, and its transaction goes on without this write.
 */
export function setVerdict(key: Key, verdict: Verdict): Write {
  const yieldsTo = YIELDING[verdict]
  if (yieldsTo === undefined) return { op: 'update', key, set: { verdict }, when: callbackIsKept }
  return { op: 'update', key, set: { verdict }, when: verdictIs(yieldsTo), optional: true }
}

/** Verdicts that decide nothing, and those that they may replace. */
const YIELDING: { readonly [V in Verdict]?: readonly Verdict[] } = {
  parked: ['received', 'parked'],
  duplicate: ['received', 'parked', 'orphan'],
}

const callbackIsKept: Condition = {
  name: 'callbackIsKept',
  expression: 'attribute_exists(pk)',
  names: {},
  values: {},
}

const verdictIs = (before: readonly Verdict[]): Condition => ({
  name: 'verdictIsOpen',
  expression: `#verdict IN (${before.map((_, index) => `:open${index}`).join(', ')})`,
  names: { '#verdict': 'verdict' },
  values: Object.fromEntries(before.map((verdict, index) => [`:open${index}`, verdict])),
})

export function callbackKey(
  pk: string,
  { channel, eventId, bodySha256 }: Pick<CallbackRecord, 'channel' | 'eventId' | 'bodySha256'>,
): Key {
  return { pk, sk: callbackSk(channel, eventId, bodySha256) }
}
