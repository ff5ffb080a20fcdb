import type { Parsed, VerifiedCallback } from '../channels/channel.ts'
import type { ChannelEvent } from '../core/channel-event.ts'
import { plusMs } from '../core/instant.ts'
import type { Verdict } from '../core/verdict.ts'
import {
  type CallbackRecord,
  callbackKey,
  identityOf,
  keepCallback,
  recordCallback,
} from '../ledger/callback/record-callback.ts'
import { locateOrder } from '../ledger/read/locate-order.ts'
import { packRaw, type RawStore } from '../raw-store/raw-store.ts'
import { addLogFields } from '../runtime/telemetry/log.ts'
import { logAndCount } from '../runtime/telemetry/metrics.ts'
import { bookEvent, isPayment } from './book-event.ts'
import { bookAtFirstSight } from './book-payment.ts'
import type { BookDeps, BookResult, EventToBook } from './booked.ts'
import { keepForLater } from './keep-for-later.ts'
import { keepUnreadable } from './keep-unreadable.ts'
import { FIRST_RETRY_MS, mustBeTaken, parkCallback } from './park-callback.ts'
import { tellVerdict } from './tell-verdict.ts'

export interface TakeDeps extends BookDeps {
  readonly raw: RawStore
}

/**
 * Keeps a verified callback and books each of its events; what cannot be booked now becomes a SETTLE_CALLBACK task.
 * When this returns, every event is in the ledger; when it throws, the message comes again and nothing is done twice.
 * @param bodySha256 hex digest of the body, part of the callback's key unless what was signed has one of its own
 * Source: docs/design/flows.md, Callback
 */
export async function takeCallback(
  deps: TakeDeps,
  verified: VerifiedCallback,
  bodySha256: string,
  parsed: Parsed,
): Promise<void> {
  const { channel, receivedAt, keyId, headers, body, identity } = verified
  const raw = await packRaw(deps.raw, { channel, receivedAt, body, sha256: bodySha256 })
  return takeKept(deps, { channel, receivedAt, keyId, headers, bodySha256, identity, raw }, parsed)
}

/** The same of a callback whose text is packed already. */
export async function takeKept(deps: TakeDeps, record: Omit<CallbackRecord, 'eventId'>, parsed: Parsed): Promise<void> {
  if (!parsed.ok && parsed.isKeyFault === true) {
    return mustBeTaken(keepForLater(deps, record, 'KEY_FAULT', plusMs(deps.now(), FIRST_RETRY_MS)))
  }
  if (!parsed.ok) return keepUnreadable(deps, { ...record, eventId: parsed.eventId }, parsed)
  for (const event of parsed.events) await takeEvent(deps, { ...record, eventId: event.eventId }, event)
  for (const one of parsed.unreadable ?? []) await keepUnreadable(deps, { ...record, eventId: one.eventId }, one)
}

async function takeEvent(deps: TakeDeps, record: CallbackRecord, event: ChannelEvent): Promise<void> {
  const { channel, eventId } = event
  addLogFields({ channel, eventId })
  const location = await locateOrder(deps.ledger, event, 'eventual')
  addLogFields({ orderNo: location.orderNo })
  const evidence = callbackKey(location.pk, record)
  const input = { location, event, evidence, operatorType: 'CALLBACK' } as const
  const ids = { channel, orderNo: location.orderNo, eventId, source: 'CALLBACK' }
  const result = (await bookNew(deps, record, input)) ?? (await keepAndBook(deps, record, input))
  if (result === 'bookedBefore') return tellVerdict(TAKEN, ids, 'duplicate')
  if (result.kind === 'booked') return tellVerdict(TAKEN, ids, result.verdict)
  const why = result.kind === 'failed' ? result.code : 'ORDER_UNKNOWN'
  await parkCallback(deps, { event, location, evidence, identity: identityOf(record), why })
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
