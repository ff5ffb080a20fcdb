import type { Undo, UndoState } from '../../core/channel-event.ts'
import { parseChannelTxnId } from '../../core/ids.ts'
import type { Instant } from '../../core/instant.ts'
import { type Money, sumAmounts } from '../../core/money.ts'
import { channelCodeOf } from '../channel-code.ts'
import { parseKeyPart } from '../event-id.ts'
import { at, type Field, idIfOurs, isAbsent, orAbsent, readId, readUnixTime, wordOf } from '../field.ts'
import { isJsonObject } from '../json.ts'
import type { Fact } from '../notice.ts'
import { idAt, intentIdOf, numbersOf } from './numbers.ts'
import { parseIntentId, readStripeMoney } from './read-fields.ts'
import { STRIPE_DISPUTE_STATES, STRIPE_REFUND_STATES } from './states.ts'

/** Where news of money that went back comes from: the channel's word for it (a type, the name of a list), and its time. */
export interface Told {
  readonly word: string
  readonly at: Instant | undefined
}

/** A charge tells the running total of its refunds. @throws UnreadableFieldError */
export function readChargeRefunds(told: Told, charge: Field): Fact {
  const money = readStripeMoney(charge, 'amount_refunded')
  return undone(told, charge, 'refund', { form: 'sum', state: 'done', money })
}

/** A refund tells its own course. One of a state that no table knows is asked about by a person. @throws UnreadableFieldError */
export function readRefund(told: Told, refund: Field): Fact {
  const status = wordOf(at(refund, 'status')) ?? (told.word === 'refund.failed' ? 'failed' : undefined)
  const state = STRIPE_REFUND_STATES.get(status ?? '')
  if (state === undefined) return unknownState(told.word, status, refund)
  const id = readId(at(refund, 'id'), parseKeyPart)
  return undone(told, refund, 'refund', { form: 'one', state, id, money: readStripeMoney(refund, 'amount') })
}

/** A dispute tells its own course, the amount asked for and the day to answer by. @throws UnreadableFieldError */
export function readDispute(told: Told, dispute: Field): Fact {
  const status = wordOf(at(dispute, 'status'))
  const state = disputeStateOf(told.word, status, dispute)
  if (state === undefined) return unknownState(told.word, status, dispute)
  const id = readId(at(dispute, 'id'), parseKeyPart)
  const asked = readStripeMoney(dispute, 'amount')
  // An inquiry asks for nothing yet; it is known from its first word on, so that the day to answer by is seen.
  const money: Money = status?.startsWith('warning_') === true ? { ...asked, amount: sumAmounts([]) } : asked
  const dueAt = orAbsent(() => readUnixTime(at(dispute, 'evidence_details', 'due_by')))
  return undone(told, dispute, 'dispute', { form: 'one', state, id, money, ...(dueAt !== undefined && { dueAt }) })
}

function disputeStateOf(type: string, status: string | undefined, dispute: Field): UndoState | undefined {
  if (type === 'charge.dispute.created') return 'pending'
  if (type === 'charge.dispute.funds_withdrawn') return 'done'
  if (type === 'charge.dispute.funds_reinstated') return 'reversed'
  // Without a status nothing has ended.
  const state = status === undefined ? 'pending' : STRIPE_DISPUTE_STATES.get(status)
  return state === 'pending' && isWithdrawn(dispute) ? 'done' : state
}

/** The money has left our balance while the dispute goes on. */
function isWithdrawn(dispute: Field): boolean {
  const { value } = at(dispute, 'balance_transactions')
  const moved = Array.isArray(value) ? value.filter(isJsonObject).map(({ amount }) => amount) : []
  return moved.reduce<number>((sum, amount) => (typeof amount === 'number' ? sum + amount : sum), 0) < 0
}

/**
 * Money that went back of the intent that the object names. One that names none is found by its charge, by a question: a hint.
 * The id of a refund of ours stands in its metadata.
 */
function undone({ at: toldAt }: Told, object: Field, kind: 'refund' | 'dispute', undo: Undo): Fact {
  const details = {
    kind,
    outTradeNo: numbersOf(object).outTradeNo,
    refundNo: numbersOf(object).refundNo,
    ...(undo.money !== undefined && { money: undo.money }),
    ...(undo.id !== undefined && kind === 'refund' && { channelRefundId: undo.id }),
    ...(kind === 'refund' && { cumulative: undo.form === 'sum' }),
    undo: { ...undo, ...(toldAt !== undefined && { at: toldAt }) },
  } as const
  if (!isAbsent(intentIdOf(object))) return { ...details, channelTxnId: readId(intentIdOf(object), parseIntentId) }
  const charge =
    wordOf(at(object, 'object')) === 'charge' || isAbsent(at(object, 'charge'))
      ? at(object, 'id')
      : idAt(object, 'charge')
  return { ...details, trust: 'hint', channelTxnId: idIfOurs(charge, parseChannelTxnId) }
}

function unknownState(type: string, status: string | undefined, object: Field): Fact {
  return { ...numbersOf(object), kind: 'unknown', code: channelCodeOf(type, status ?? 'STATUS_MISSING') }
}
