import type { ChannelEvent } from '../../core/channel-event.ts'
import { parseChannelTxnId } from '../../core/ids.ts'
import { instantOf } from '../../core/instant.ts'
import type { Outcome } from '../../core/outcome.ts'
import type { PaypalAccount } from '../account.ts'
import { NOT_THERE, type QueryRefund, type RefundAnswer, type RefundRef } from '../client.ts'
import { eventIdOf } from '../event-id.ts'
import { at, type Field, idIfOurs, orAbsent, readTime, rootOf, UnreadableFieldError, wordOf } from '../field.ts'
import type { JsonObject } from '../json.ts'
import { type Fact, toEvent } from '../notice.ts'
import { listRefunds } from './list-refunds.ts'
import { captureLinkedFrom, readOwnNumber, readPaypalMoney } from './read-fields.ts'
import { isAbout, readDispute, readRefund, readStatus, type Subject } from './read-undo.ts'
import { askPaypal, type PaypalCall, type PaypalSession } from './session.ts'
import { PAYPAL_CAPTURE_STATES } from './states.ts'

/**
 * Asks what of a capture's money went back: the capture itself, the refunds of its order, and the refunds and disputes that hints
 * named. A refund that nothing lists is still known by the capture's status, without its amount.
 * Source: docs/channels/paypal.md, Refunds
 */
export const queryPaypalRefund: QueryRefund<PaypalAccount, PaypalSession> = async (ref, account, session, deps) => {
  const call = { account, session, deps }
  const askedAt = instantOf(deps.nowMs())
  const result = await askPaypal(pathOf('captures', ref.channelTxnId), account, session, deps)
  if (result.kind === 'none') return { outcome: result.outcome, events: [] }
  if (result.kind === 'notFound') return { outcome: { kind: 'notYet', code: NOT_THERE }, events: [] }
  const capture = rootOf(result.object)
  if (idIfOurs(at(capture, 'id'), parseChannelTxnId) !== ref.channelTxnId) return NOT_OURS
  const numbers = [at(capture, 'custom_id').value, at(capture, 'invoice_id').value]
  const isNamed = ref.outTradeNo !== undefined && numbers.includes(ref.outTradeNo)
  const outTradeNo = isNamed ? ref.outTradeNo : readOwnNumber(capture)
  if (ref.outTradeNo !== undefined && outTradeNo !== undefined && !isNamed) return NOT_OURS
  return askOn({ channelTxnId: ref.channelTxnId, outTradeNo, askedAt }, capture, ref, call)
}

const NOT_OURS: RefundAnswer = { outcome: { kind: 'mismatch', code: 'ANSWER_NOT_OURS' }, events: [] }
const DONE: Outcome = { kind: 'done' }

function pathOf(collection: 'captures' | 'refunds', id: string): string {
  return `/v2/payments/${collection}/${encodeURIComponent(id)}`
}

async function askOn(subject: Subject, capture: Field, ref: RefundRef, call: PaypalCall): Promise<RefundAnswer> {
  const listed = await listRefunds(capture, subject.channelTxnId, call)
  const seen = new Set(listed.refunds.map(({ id }) => id))
  const named = await askNamed(subject, ref, seen, call)
  const objects = [...listed.refunds.map((object) => ({ object, read: readRefund })), ...named.objects]
  const moved = objects.map(({ object, read }) => readOne(call.account.id, subject, rootOf(object), read))
  const outcome = [listed.outcome, named.outcome, ...moved.map((one) => one.outcome)].find(
    ({ kind }) => kind !== 'done',
  )
  const events = moved.flatMap((one) => one.events)
  const status = outcome === undefined ? statusOf(subject, capture, events) : undefined
  const rest = status === undefined ? [] : readOne(call.account.id, subject, capture, () => status).events
  const payment = paymentOf(call.account.id, subject, capture)
  return { outcome: outcome ?? DONE, events: [...events, ...rest], ...(payment !== undefined && { payment }) }
}

interface Named {
  readonly outcome: Outcome
  readonly objects: readonly { readonly object: JsonObject; readonly read: (subject: Subject, object: Field) => Fact }[]
}

/** What only a hint named may not exist, or belong to another payment: then it says nothing. */
async function askNamed(
  subject: Subject,
  { refundIds = [], disputeIds = [] }: RefundRef,
  seen: ReadonlySet<unknown>,
  { account, session, deps }: PaypalCall,
): Promise<Named> {
  const objects: Named['objects'][number][] = []
  let outcome = DONE
  const asked = [
    ...refundIds.filter((id) => !seen.has(id)).map((id) => ({ path: pathOf('refunds', id), read: readRefund })),
    ...disputeIds.map((id) => ({ path: `/v1/customer/disputes/${encodeURIComponent(id)}`, read: readDispute })),
  ]
  for (const { path, read } of asked) {
    const result = await askPaypal(path, account, session, deps)
    if (result.kind === 'none') outcome = result.outcome
    if (result.kind !== 'object') continue
    const object = rootOf(result.object)
    const isOurs =
      read === readDispute ? isAbout(subject, object) : captureLinkedFrom(object).value === subject.channelTxnId
    if (isOurs) objects.push({ object: result.object, read })
  }
  return { outcome, objects }
}

/** What the capture's status says went back, beyond the refunds that are known one by one. */
function statusOf(subject: Subject, capture: Field, events: readonly ChannelEvent[]): Fact | undefined {
  const status = wordOf(at(capture, 'status'))
  const done = events.flatMap(({ undo }) => (undo?.state === 'done' ? [undo.money?.amount ?? 0] : []))
  const sum = done.reduce<number>((total, amount) => total + amount, 0)
  const paid = orAbsent(() => readPaypalMoney(at(capture, 'amount')))?.amount
  if (status === 'REFUNDED' && (paid === undefined || sum < paid)) return readStatus(subject, 'all', capture)
  return status === 'PARTIALLY_REFUNDED' && sum === 0 ? readStatus(subject, 'amountUnknown', capture) : undefined
}

/** One that cannot be read keeps none of its neighbours back, and is not the whole answer. */
function readOne(
  channel: PaypalAccount['id'],
  subject: Subject,
  object: Field,
  read: (subject: Subject, object: Field) => Fact,
): RefundAnswer {
  try {
    const fact = read(subject, object)
    const id = fact.undo?.id ?? subject.channelTxnId
    const said = fact.undo?.id === undefined ? (fact.undo?.form ?? fact.code) : fact.undo.state
    // What is said is the identity: the same answer has the same id however often it is asked for.
    return { outcome: DONE, events: [toEvent(channel, eventIdOf(`query/${id}/${said}`, Buffer.alloc(0)), fact)] }
  } catch (error) {
    if (!(error instanceof UnreadableFieldError)) throw error
    return { outcome: { kind: 'unknown', code: 'ANSWER_UNREADABLE', message: error.message }, events: [] }
  }
}

/** Under the id that the question about the try has for it. What cannot be read of it costs nothing of what went back. */
function paymentOf(channel: PaypalAccount['id'], subject: Subject, capture: Field): ChannelEvent | undefined {
  const { channelTxnId, outTradeNo } = subject
  const state = PAYPAL_CAPTURE_STATES.get(wordOf(at(capture, 'status')) ?? '')
  const money = orAbsent(() => readPaypalMoney(at(capture, 'amount')))
  if ((state !== 'paid' && state !== 'refunded') || money === undefined || money.amount === 0) return undefined
  const paidAt = orAbsent(() => readTime(at(capture, 'create_time')))
  const fact = { kind: 'payment', channelTxnId, outTradeNo, money, paidAt } as const
  return toEvent(channel, eventIdOf(`query/${channelTxnId}`, Buffer.alloc(0)), fact)
}
