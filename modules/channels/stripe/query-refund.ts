import type { ChannelEvent } from '../../core/channel-event.ts'
import type { ChannelTxnId, OutTradeNo } from '../../core/ids.ts'
import { type Instant, instantOf } from '../../core/instant.ts'
import type { Outcome } from '../../core/outcome.ts'
import type { StripeAccount } from '../account.ts'
import type { QueryRefund, RefundAnswer } from '../client.ts'
import { eventIdOf } from '../event-id.ts'
import { at, type Field, orAbsent, rootOf, UnreadableFieldError, wordOf } from '../field.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import { type Fact, toEvent } from '../notice.ts'
import { callStripe } from './call.ts'
import { findPaidIntent, notHad } from './find-paid-intent.ts'
import type { StripeKeys } from './keys.ts'
import { orderNumberOf } from './numbers.ts'
import { readPaidIntent } from './read-intent.ts'
import { readChargeRefunds, readDispute, readRefund, type Told } from './read-undo.ts'
import type { StripeCall } from './session.ts'

/**
 * Asks what of a payment's money went back: its intent with the charge's running sum, its refunds, its disputes. A charge, refund,
 * dispute or session leads to the intent first.
 * Source: docs/channels/stripe.md, Refunds
 */
export const queryStripeRefund: QueryRefund<StripeAccount, StripeKeys> = async (ref, account, keys, deps) => {
  const call = { account, keys, deps }
  const found = await findPaidIntent(ref.channelTxnId, call)
  if (found.kind === 'none') return { outcome: found.outcome, events: [] }
  // Of the moment before the answers: news that comes while they are on their way is newer.
  const askedAt = instantOf(deps.nowMs())
  const intent = await ask(`/v1/payment_intents/${encodeURIComponent(found.id)}`, { 'expand[]': 'latest_charge' }, call)
  if ('outcome' in intent) return { outcome: intent.outcome, events: [] }
  const outTradeNo = orderNumberOf(rootOf(intent.object))
  const isForeign = ref.outTradeNo !== undefined && outTradeNo !== undefined && outTradeNo !== ref.outTradeNo
  if (isForeign || (intent.object['livemode'] ?? account.livemode) !== account.livemode) return NOT_OURS
  const subject = { channelTxnId: found.id, outTradeNo, askedAt }
  const parts = [
    readPart(account, subject, sumOf(intent.object), { read: readChargeRefunds, word: 'charge' }),
    await readList('refund', '/v1/refunds', subject, call),
    await readList('dispute', '/v1/disputes', subject, call),
  ]
  const outcome = parts.find((part) => part.outcome.kind !== 'done')?.outcome ?? { kind: 'done' }
  const payment = paymentOf(account.id, subject, intent.object)
  return { outcome, events: parts.flatMap(({ events }) => events), ...(payment !== undefined && { payment }) }
}

/** Under the id that the question about the try has for it. What cannot be read of it costs nothing of what went back. */
function paymentOf(
  channel: StripeAccount['id'],
  { channelTxnId, outTradeNo }: Subject,
  intent: JsonObject,
): ChannelEvent | undefined {
  const fact = orAbsent(() => readPaidIntent(intent))
  if (fact === undefined) return undefined
  return toEvent(channel, eventIdOf(`query/${channelTxnId}`, Buffer.alloc(0)), { ...fact, channelTxnId, outTradeNo })
}

interface Subject {
  readonly channelTxnId: ChannelTxnId
  readonly outTradeNo: OutTradeNo | undefined
  readonly askedAt: Instant
}

type Read = (told: Told, object: Field) => Fact

const NOT_OURS: RefundAnswer = { outcome: { kind: 'mismatch', code: 'ANSWER_NOT_OURS' }, events: [] }
const UNREADABLE: Outcome = { kind: 'unknown', code: 'ANSWER_UNREADABLE' }

async function readList(
  word: 'refund' | 'dispute',
  path: string,
  subject: Subject,
  call: StripeCall,
): Promise<RefundAnswer> {
  const list = await ask(path, { payment_intent: subject.channelTxnId, limit: '100' }, call)
  if ('outcome' in list) return { outcome: list.outcome, events: [] }
  const { data, has_more: hasMore } = list.object
  if (!Array.isArray(data) || !data.every(isJsonObject)) return { outcome: UNREADABLE, events: [] }
  const read = readPart(call.account, subject, data, { read: word === 'refund' ? readRefund : readDispute, word })
  const isCut = read.outcome.kind === 'done' && hasMore === true
  return isCut ? { ...read, outcome: { kind: 'unknown', code: 'LIST_IS_LONGER' } } : read
}

/** Reads each object by itself; one that cannot be read keeps none of its neighbours back, and is not the whole answer. */
function readPart(
  { id: channel }: StripeAccount,
  subject: Subject,
  objects: readonly JsonObject[],
  { read, word }: { readonly read: Read; readonly word: string },
): RefundAnswer {
  const events: ChannelEvent[] = []
  let outcome: Outcome = { kind: 'done' }
  for (const object of objects) {
    const event = readOne(channel, subject, rootOf(object), (field) => read({ word, at: subject.askedAt }, field))
    if ('field' in event) outcome = { ...UNREADABLE, message: event.message }
    else if (event.channelTxnId !== subject.channelTxnId) outcome = NOT_OURS.outcome
    else events.push(event)
  }
  return { outcome, events }
}

function readOne(
  channel: StripeAccount['id'],
  { outTradeNo }: Subject,
  object: Field,
  read: (object: Field) => Fact,
): ChannelEvent | UnreadableFieldError {
  try {
    const fact = read(object)
    // What is said is the identity: the same answer has the same id however often it is asked for.
    const said = fact.undo?.form === 'sum' ? `${fact.undo.money?.amount}` : (fact.undo?.state ?? fact.code)
    const eventId = eventIdOf(`query/${wordOf(at(object, 'id')) ?? ''}/${said}`, Buffer.alloc(0))
    return toEvent(channel, eventId, { ...fact, outTradeNo })
  } catch (error) {
    if (error instanceof UnreadableFieldError) return error
    throw error
  }
}

/** The charge, when some of it went back. An older intent's charge is not the latest; its refunds are listed by themselves. */
function sumOf(intent: JsonObject): readonly JsonObject[] {
  const charge = intent['latest_charge']
  if (!isJsonObject(charge) || charge['amount_refunded'] === 0 || charge['amount_refunded'] === undefined) return []
  return [{ payment_intent: intent['id'], currency: intent['currency'], ...charge }]
}

type Asked = { readonly object: JsonObject } | { readonly outcome: Outcome }

async function ask(
  path: string,
  parameters: Readonly<Record<string, string>>,
  { account, keys, deps }: StripeCall,
): Promise<Asked> {
  const result = await callStripe({ method: 'GET', path, parameters }, account, keys, deps)
  return result.kind === 'object' ? { object: result.object } : { outcome: notHad(result) }
}
