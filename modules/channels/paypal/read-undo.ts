import type { Undo } from '../../core/channel-event.ts'
import { type ChannelTxnId, type OutTradeNo, parseChannelTxnId } from '../../core/ids.ts'
import type { Instant } from '../../core/instant.ts'
import { channelCodeOf } from '../channel-code.ts'
import { parseKeyPart } from '../event-id.ts'
import { at, type Field, idIfOurs, isAbsent, orAbsent, readId, readTime, wordOf } from '../field.ts'
import { isJsonObject } from '../json.ts'
import type { Fact } from '../notice.ts'
import { refundNoOfWireKey } from '../wire-refund-no.ts'
import { readPaypalMoney } from './read-fields.ts'
import { PAYPAL_DISPUTE_OUTCOMES, PAYPAL_REFUND_STATES } from './states.ts'

/** The capture that was asked about, with our number as it names it. */
export interface Subject {
  readonly channelTxnId: ChannelTxnId
  readonly outTradeNo: OutTradeNo | undefined
  /** Of the moment before the answers: news that comes while they are on their way is newer. */
  readonly askedAt: Instant
}

/** A refund tells its own course. @throws UnreadableFieldError */
export function readRefund(subject: Subject, refund: Field): Fact {
  const status = wordOf(at(refund, 'status'))
  const state = PAYPAL_REFUND_STATES.get(status ?? '')
  if (state === undefined) return unknownState(subject, 'refund', status)
  const id = readId(at(refund, 'id'), parseKeyPart)
  const refundNo = ['custom_id', 'invoice_id']
    .map((name) => idIfOurs(at(refund, name), refundNoOfWireKey))
    .find((number) => number !== undefined)
  const money = readPaypalMoney(at(refund, 'amount'))
  return { ...undone(subject, 'refund', { form: 'one', state, id, money }), refundNo, channelRefundId: id }
}

/** A dispute asks for its amount until it is resolved; what the buyer then got is what is gone. @throws UnreadableFieldError */
export function readDispute(subject: Subject, dispute: Field): Fact {
  const id = readId(at(dispute, 'dispute_id'), parseKeyPart)
  const outcome = at(dispute, 'dispute_outcome')
  const word = wordOf(at(outcome, 'outcome_code'))
  const state = wordOf(at(dispute, 'status')) === 'RESOLVED' ? PAYPAL_DISPUTE_OUTCOMES.get(word ?? '') : 'pending'
  if (state === undefined) return unknownState(subject, 'dispute', word)
  const given = at(outcome, 'amount_refunded')
  const money = readPaypalMoney(state === 'done' && !isAbsent(given) ? given : at(dispute, 'dispute_amount'))
  const dueAt = orAbsent(() => readTime(at(dispute, 'seller_response_due_date')))
  return undone(subject, 'dispute', { form: 'one', state, id, money, ...(dueAt !== undefined && { dueAt }) })
}

/** Whether a dispute is about the capture. */
export function isAbout({ channelTxnId }: Subject, dispute: Field): boolean {
  const { value, path } = at(dispute, 'disputed_transactions')
  const listed = Array.isArray(value) ? value.filter(isJsonObject) : []
  return listed.some(
    (transaction) =>
      idIfOurs(at({ path, value: transaction }, 'seller_transaction_id'), parseChannelTxnId) === channelTxnId,
  )
}

/** What is known of a payment by its own status alone. */
export function readStatus(subject: Subject, form: 'all' | 'amountUnknown', capture: Field): Fact {
  const money = form === 'all' ? orAbsent(() => readPaypalMoney(at(capture, 'amount'))) : undefined
  return { ...undone(subject, 'refund', { form, state: 'done' }), money }
}

function undone({ channelTxnId, outTradeNo, askedAt }: Subject, kind: 'refund' | 'dispute', undo: Undo): Fact {
  return { kind, channelTxnId, outTradeNo, money: undo.money, undo: { ...undo, at: askedAt } }
}

function unknownState({ channelTxnId, outTradeNo }: Subject, object: string, word: string | undefined): Fact {
  return { kind: 'unknown', channelTxnId, outTradeNo, code: channelCodeOf(object, word ?? 'STATUS_MISSING') }
}
