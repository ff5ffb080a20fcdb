import type { Parsed, VerifiedCallback } from '../channels/channel.ts'
import type { ChannelEvent } from '../core/channel-event.ts'
import { plusMs } from '../core/instant.ts'
import {
  type CallbackRecord,
  callbackKey,
  keepCallback,
  recordCallback,
  setVerdict,
} from '../ledger/callback/record-callback.ts'
import { type Location, locateOrder } from '../ledger/read/locate-order.ts'
import { commit, type Loss } from '../ledger/table/commit.ts'
import { orphanPk } from '../ledger/table/keys.ts'
import type { Verdict } from '../core/verdict.ts'
import type { Write } from '../ledger/table/make-write.ts'
import { putTask, putTicket } from '../ledger/task/put-task.ts'
import { packRaw, type RawStore } from '../raw-store/raw-store.ts'
import { addLogFields } from '../runtime/telemetry/log.ts'
import { logAndCount } from '../runtime/telemetry/metrics.ts'
import { bookEvent, isPayment } from './book-event.ts'
import { bookAtFirstSight } from './book-payment.ts'
import { type BookDeps, type BookResult, type EventToBook, finish } from './booked.ts'
import { keepForLater } from './keep-for-later.ts'
import { tellVerdict } from './tell-verdict.ts'

export interface TakeDeps extends BookDeps {
  readonly raw: RawStore
}

/** The ledger took neither the booking nor the task that would repeat it: the message must come again. */
export class CallbackNotTakenError extends Error {
  override readonly name = 'CallbackNotTakenError'
  readonly code = 'CALLBACK_NOT_TAKEN'
}

/**
 * Keeps a verified callback and books each of its events; what cannot be booked now becomes a SETTLE_CALLBACK task.
 * When this returns, every event is in the ledger; when it throws, the message comes again and nothing is done twice.
 * @param bodySha256 hex digest of the body, part of the callback's key
 * Source: docs/design/flows.md, Callback
 */
export async function takeCallback(
  deps: TakeDeps,
  verified: VerifiedCallback,
  bodySha256: string,
  parsed: Parsed,
): Promise<void> {
  const { channel, receivedAt, keyId, headers, body } = verified
  const raw = await packRaw(deps.raw, { channel, receivedAt, body, sha256: bodySha256 })
  return takeKept(deps, { channel, receivedAt, keyId, headers, bodySha256, raw }, parsed)
}

/** The same of a callback whose text is packed already. */
export async function takeKept(deps: TakeDeps, record: Omit<CallbackRecord, 'eventId'>, parsed: Parsed): Promise<void> {
  if (!parsed.ok && parsed.isKeyFault === true) {
    return mustBeTaken(keepForLater(deps, record, 'KEY_FAULT', plusMs(deps.now(), FIRST_RETRY_MS)))
  }
  if (!parsed.ok) return keepUnreadable(deps, { ...record, eventId: parsed.eventId }, parsed)
  for (const event of parsed.events) await takeEvent(deps, { ...record, eventId: event.eventId }, event)
}

async function takeEvent(deps: TakeDeps, record: CallbackRecord, event: ChannelEvent): Promise<void> {
  const { channel, eventId } = event
  addLogFields({ channel, eventId })
  const location = await locateOrder(deps.ledger, event, 'eventual')
  addLogFields({ orderNo: location.orderNo })
  const evidence = callbackKey(location.pk, record)
  const input = { location, event, evidence, operatorType: 'CALLBACK' } as const
  const ids = { channel, orderNo: location.orderNo, eventId }
  const result = (await bookNew(deps, record, input)) ?? (await keepAndBook(deps, record, input))
  if (result === 'bookedBefore') return tellVerdict(TAKEN, ids, 'duplicate')
  if (result.kind === 'booked') return tellVerdict(TAKEN, ids, result.verdict)
  await park(deps, record, event, location, result)
  logAndCount('INFO', TAKEN, ['CallbackParked'], { ...ids, result: result.kind })
}

const TAKEN = 'A callback was taken.'

/** Keeps and books at once what pays a waiting order; the row and all that follows from it are there together or not at all. */
async function bookNew(deps: TakeDeps, record: CallbackRecord, input: EventToBook): Promise<BookResult | undefined> {
  const { event, location } = input
  if (!isPayment(event)) return undefined
  return bookAtFirstSight(deps, { ...input, event }, (verdict) => keepCallback(location.pk, record, verdict))
}

/** Everything else is kept first: whatever becomes of its booking, its bytes are there. */
async function keepAndBook(
  deps: TakeDeps,
  record: CallbackRecord,
  input: EventToBook,
): Promise<BookResult | 'bookedBefore'> {
  const kept = await recordCallback(deps.ledger, input.location.pk, record, deps.now())
  return UNSETTLED.has(kept.verdict) ? bookEvent(deps, input) : 'bookedBefore'
}

/** Verdicts that leave something to do; with any other the same bytes were booked before. */
const UNSETTLED: ReadonlySet<Verdict> = new Set<Verdict>(['received', 'parked'])

/** The order is usually committed a moment later. Source: docs/design/task-types.md. */
const FIRST_RETRY_MS = 1000

/**
 * The order is not here yet, or booking failed: a task repeats it on its ladder. The event's task may be there for other bytes of
 * the same event; these get one of their own, or nobody would ever decide them.
 */
async function park(
  deps: TakeDeps,
  record: CallbackRecord,
  event: ChannelEvent,
  location: Location,
  why: Exclude<BookResult, { kind: 'booked' }>,
): Promise<void> {
  const { channel, eventId } = event
  const evidence = callbackKey(location.pk, record)
  const now = deps.now()
  const taskOf = (bizNo: string): Write =>
    putTask(
      {
        pk: location.pk,
        bizType: 'SETTLE_CALLBACK',
        bizNo,
        ...(location.orderNo !== undefined && { orderNo: location.orderNo }),
        channel,
        source: 'CALLBACK',
        at: plusMs(now, FIRST_RETRY_MS),
        requestSnapshot: { callback: evidence.sk, eventId, why: why.kind === 'failed' ? why.code : 'ORDER_UNKNOWN' },
      },
      deps.overrides,
      now,
    )
  const first = taskOf(`${channel}/${eventId}`)
  const verdict = setVerdict(evidence, 'parked')
  const parked = await commit(deps.ledger, [{ ...first, optional: false }, verdict], now)
  if (parked.kind === 'done') return
  if (parked.kind !== 'lost') throw notTaken()
  const isForOthers = parked.losses.some(({ found }) => isTaskOfOthers(found, evidence.sk))
  const task = isForOthers ? taskOf(`${channel}/${eventId}/${record.bodySha256.slice(0, 8)}`) : first
  await mustBeTaken(finish(deps, [task, verdict], 'parked'))
}

function isTaskOfOthers(found: Loss['found'], callbackSk: string): boolean {
  const snapshot = found?.['et'] === 'TASK' ? found['requestSnapshot'] : undefined
  return typeof snapshot === 'object' && snapshot !== null && 'callback' in snapshot && snapshot.callback !== callbackSk
}

/** Keeps a verified callback that no parser can read, with a ticket that names the field. */
export async function keepUnreadable(
  deps: TakeDeps,
  record: CallbackRecord,
  { field, problem }: Extract<Parsed, { ok: false }>,
): Promise<void> {
  const pk = orphanPk(record.channel, record.eventId)
  const { channel, eventId } = record
  const kept = await recordCallback(deps.ledger, pk, record, deps.now())
  if (!UNSETTLED.has(kept.verdict)) return tellVerdict(TAKEN, { channel, eventId }, 'duplicate')
  const ticket = putTicket(
    {
      pk,
      bizType: 'REVIEW',
      bizNo: `unreadable/${record.channel}/${record.eventId}`,
      channel: record.channel,
      source: 'CALLBACK',
      reason: 'CALLBACK_UNREADABLE',
      message: `The field '${field}' ${problem}.`,
      requestSnapshot: { callback: kept.sk },
    },
    deps.overrides,
    deps.now(),
  )
  await mustBeTaken(finish(deps, [...ticket, setVerdict({ pk, sk: kept.sk }, 'unreadable')], 'unreadable'))
  const message = 'A verified callback is unreadable; a ticket names the field.'
  logAndCount('WARN', message, ['TicketsOpened'], { channel, eventId, field })
}

async function mustBeTaken(result: Promise<BookResult>): Promise<void> {
  const { kind } = await result
  if (kind !== 'booked') {
    throw notTaken()
  }
}

function notTaken(): CallbackNotTakenError {
  return new CallbackNotTakenError(
    'The ledger did not take the callback. It comes again from the queue; watch the DLQ.',
  )
}
