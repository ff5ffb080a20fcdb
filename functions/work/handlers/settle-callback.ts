import { bookEvent } from '../../../modules/booking/book-event.ts'
import { type BookResult, finish } from '../../../modules/booking/booked.ts'
import { recordOrphan } from '../../../modules/booking/keep-orphan.ts'
import { keepUnreadable } from '../../../modules/booking/keep-unreadable.ts'
import { type TakeDeps, takeKept } from '../../../modules/booking/take-callback.ts'
import { tellVerdict } from '../../../modules/booking/tell-verdict.ts'
import { type Parsed, proveVerified, type VerifiedCallback } from '../../../modules/channels/channel.ts'
import type { ChannelEvent } from '../../../modules/core/channel-event.ts'
import { decideRetry } from '../../../modules/core/decide-retry.ts'
import type { Instant } from '../../../modules/core/instant.ts'
import type { Outcome } from '../../../modules/core/outcome.ts'
import type { Verdict } from '../../../modules/core/verdict.ts'
import { type CallbackRecord, setVerdict } from '../../../modules/ledger/callback/record-callback.ts'
import { locateOrder } from '../../../modules/ledger/read/locate-order.ts'
import { readRows } from '../../../modules/ledger/read/queries.ts'
import type { Key } from '../../../modules/ledger/table/keys.ts'
import type { CallbackRow, TaskRow } from '../../../modules/ledger/table/rows.ts'
import { requestOf } from '../../../modules/ledger/task/snapshots.ts'
import { unpackRaw } from '../../../modules/raw-store/raw-store.ts'
import { isUnavailable } from '../../../modules/runtime/is-unavailable.ts'
import { errorFields, log } from '../../../modules/runtime/telemetry/log.ts'
import { isKeyFault } from '../asking/key-fault.ts'
import type { Execution, Look, TaskHandler, TaskView } from '../task-handler.ts'

/** How a kept callback is read again, by its channel's keys. @throws SecretMissingError, KeyFormatError */
export type ReadKept = (verified: VerifiedCallback) => Promise<Parsed>

/**
 * SETTLE_CALLBACK: books a kept callback again, from its own bytes. When no order came in all its time, the money is recorded as
 * ORPHAN with a ticket: recorded is this task's success.
 * Source: docs/design/flows.md, Decision table, row 3
 */
export function settleCallbackHandler(deps: TakeDeps, readKept: ReadKept): TaskHandler {
  return {
    load: async (ledger, task) => (await readRows(ledger, [callbackKeyOf(task)])).filter((row) => row !== undefined),
    look: lookAtCallback,
    call: (view) => bookKept(deps, readKept, view),
  }
}

function lookAtCallback({ task, rows }: TaskView): Look {
  const callback = rows.find((row) => row.et === 'CALLBACK')
  if (callback === undefined) {
    return { kind: 'escalate', reason: 'CALLBACK_MISSING', message: 'The kept callback of this task is gone.' }
  }
  if (!OPEN_VERDICTS.has(callback.verdict)) {
    return { kind: 'moot', status: 'SUCCESS', reason: `CALLBACK_${callback.verdict.toUpperCase()}` }
  }
  return { kind: 'go', target: 'ledger', idempotencyKey: task.idempotencyKey }
}

/** An orphan is decided afresh when its order has come. */
const OPEN_VERDICTS: ReadonlySet<Verdict> = new Set<Verdict>(['received', 'parked', 'orphan'])

function callbackKeyOf(task: TaskRow): Key {
  return { pk: task.pk, sk: requestOf('SETTLE_CALLBACK', task).callback ?? '' }
}

async function bookKept(deps: TakeDeps, readKept: ReadKept, view: TaskView): Promise<Execution> {
  const callback = view.rows.find((row) => row.et === 'CALLBACK')
  if (callback === undefined) return failed('CALLBACK_MISSING', 'The kept callback of this task is gone.')
  const { channel, receivedAt, keyId, headers } = callback
  try {
    const body = await unpackRaw(deps.raw, callback)
    const parsed = await readKept(proveVerified({ channel, receivedAt, keyId, headers, body }))
    if (!parsed.ok && parsed.isKeyFault === true) {
      return failed('KEY_FAULT', 'No key of the secret opens the notice. Put the key that was replaced back into it.')
    }
    return await bookParsed(deps, view, callback, parsed)
  } catch (error) {
    // A missing or wrong key is ours to fix and uses no retry.
    if (isKeyFault(error)) throw error
    const fields = errorFields(error)
    log('ERROR', 'A kept callback could not be booked now.', fields)
    if (isUnavailable(error)) return failed('LEDGER_UNAVAILABLE', 'A service did not answer; the task tries again.')
    const name = String(fields['code'] ?? fields['error'])
    return failed(name, 'A bug: look for this task in the log of work, and report the error.')
  }
}

async function bookParsed(
  deps: TakeDeps,
  { task, now }: TaskView,
  callback: CallbackRow,
  parsed: Parsed,
): Promise<Execution> {
  const eventId = requestOf('SETTLE_CALLBACK', task).eventId
  if (eventId === undefined) return takeRescued(deps, callback, parsed)
  if (!parsed.ok) {
    await keepUnreadable(deps, { ...recordOf(callback), eventId: parsed.eventId }, parsed)
    return { outcome: { kind: 'done', code: 'UNREADABLE' } }
  }
  const results: BookResult[] = []
  for (const event of parsed.events.filter((one) => one.eventId === eventId)) {
    results.push(await settleOne(deps, event, callbackKeyOf(task), isLastTry(deps, task, now)))
  }
  if (results.length > 0) return { outcome: outcomeOf(results) }
  return {
    outcome: { kind: 'mismatch', code: 'EVENT_NOT_FOUND', message: 'The kept bytes no longer name this event.' },
  }
}

/** A message that came by the dead letters goes the way of every callback: each event in its own order's collection. */
async function takeRescued(deps: TakeDeps, callback: CallbackRow, parsed: Parsed): Promise<Execution> {
  await takeKept(deps, recordOf(callback), parsed)
  const { pk, sk } = callback
  const result = await finish(deps, [setVerdict({ pk, sk }, 'recorded')], 'recorded')
  return { outcome: outcomeOf([result]) }
}

function recordOf(callback: CallbackRow): Omit<CallbackRecord, 'eventId'> {
  const { channel, receivedAt, keyId, headers, bodySha256, identity, raw, rawKey } = callback
  const kept = rawKey === undefined ? { gzip: raw ?? new Uint8Array() } : { s3Key: rawKey }
  return { channel, receivedAt, keyId, headers, bodySha256, identity, raw: kept }
}

/** Whether "not yet" would end the task: then its money is recorded as what it is, with no order. */
function isLastTry(deps: TakeDeps, task: TaskRow, now: Instant): boolean {
  const policy = deps.policies.of(task.bizType, task.channel)
  return decideRetry(task, { kind: 'notYet' }, { policy, now, jitter: 0 }).kind !== 'retry'
}

async function settleOne(deps: TakeDeps, event: ChannelEvent, evidence: Key, isLast: boolean): Promise<BookResult> {
  const result = await bookOrRecord(deps, event, evidence, isLast)
  // The order may have come between the look and the orphan's record.
  const final = isLast && result.kind === 'failed' ? await bookOrRecord(deps, event, evidence, isLast) : result
  const { channel, eventId } = event
  if (final.kind !== 'booked') return final
  tellVerdict('A kept callback was booked.', { channel, eventId, source: 'CALLBACK' }, final.verdict)
  return final
}

async function bookOrRecord(deps: TakeDeps, event: ChannelEvent, evidence: Key, isLast: boolean): Promise<BookResult> {
  const location = await locateOrder(deps.ledger, event)
  const input = { location, event, evidence, operatorType: 'CALLBACK' as const }
  const result = await bookEvent(deps, input)
  return result.kind === 'orderUnknown' && isLast ? recordOrphan(deps, input) : result
}

function outcomeOf(results: readonly BookResult[]): Outcome {
  const failure = results.find((result) => result.kind === 'failed')
  if (failure !== undefined) return { kind: 'transient', code: failure.code, message: failure.message }
  if (results.some((result) => result.kind === 'orderUnknown')) return { kind: 'notYet', code: 'ORDER_UNKNOWN' }
  return { kind: 'done' }
}

function failed(code: string, message: string): Execution {
  return { outcome: { kind: 'transient', code, message } }
}
