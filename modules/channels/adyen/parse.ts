import type { Undo, UndoState } from '../../core/channel-event.ts'
import { parseChannelTxnId, parseOutTradeNo } from '../../core/ids.ts'
import { type Instant, parseInstant } from '../../core/instant.ts'
import { type Money, sumAmounts } from '../../core/money.ts'
import type { AdyenAccount } from '../account.ts'
import type { CallbackParser } from '../channel.ts'
import { channelCodeOf } from '../channel-code.ts'
import { eventIdOf, parseKeyPart } from '../event-id.ts'
import { at, type Field, idIfOurs, orAbsent, readId, rootOf, UnreadableFieldError } from '../field.ts'
import { type Fact, type FactReading, readFacts } from '../notice.ts'
import { refundNoOfWireKey } from '../wire-refund-no.ts'
import { moneyFromAdyen } from './amounts.ts'
import { type AdyenMeaning, meaningOf } from './events.ts'
import type { AdyenKeys } from './keys.ts'
import { type AdyenItem, readAdyenMessage } from './read-items.ts'

/**
 * Reads a verified webhook: one event per item, of its signed fields alone (and a time).
 * Source: docs/channels/adyen.md, Callback and Event types
 */
export const parseAdyen: CallbackParser<AdyenAccount, AdyenKeys> = ({ channel, body }, account) => {
  const message = readAdyenMessage(body)
  if (message === undefined) {
    return { ok: false, eventId: eventIdOf(undefined, body), field: 'body', problem: 'is not a standard webhook' }
  }
  return readFacts(
    channel,
    message.items.map((item) => readingOf(item, account)),
  )
}

/** The button "test" of the Customer Area sends payments under such numbers. Source: docs/channels/adyen.md, Event types */
const TEST_PSP = /^test_/

function readingOf(item: AdyenItem, account: AdyenAccount): FactReading {
  const meaning = TEST_PSP.test(item.pspReference) ? PROBE : meaningOf(item.eventCode, item.success)
  return {
    eventId: eventIdOf(`${item.pspReference}/${item.eventCode}/${item.success}`, Buffer.alloc(0)),
    read: () => readItem(item, meaning, account),
    known: { ...numbersOf(item), isMoney: meaning?.tells === 'authorised' || meaning?.tells === 'captured' },
  }
}

const PROBE: AdyenMeaning = { tells: 'probe' }

function readItem(item: AdyenItem, meaning: AdyenMeaning | undefined, { capture }: AdyenAccount): Fact {
  if (meaning === undefined) return { ...recorded(item), kind: 'unknown', code: channelCodeOf(item.eventCode) }
  switch (meaning.tells) {
    case 'probe':
      return { kind: 'probe' }
    case 'authorised':
      return capture === 'manual' ? recorded(item) : readPayment(item)
    case 'captured':
      return readPayment(item)
    case 'void':
      return readVoid(item, meaning.endsTry)
    case 'expired':
      return capture === 'manual' ? recorded(item) : readVoid(item, false)
    case 'refund':
      return readMovement(item, 'refund', meaning.state)
    case 'cancelOrRefund':
      // What is signed does not say which; with an amount it is that much.
      return item.value === ''
        ? { ...readTold(item, 'refund'), undo: { form: 'amountUnknown', state: 'done' } }
        : readMovement(item, 'refund', 'done')
    case 'dispute':
      return meaning.movesMoney ? readMovement(item, 'dispute', meaning.state) : readCourse(item)
    case 'other':
      return recorded(item)
    default:
      return meaning satisfies never
  }
}

/** All of one payment is void. An answer to our own close names no payment where there was none: then only the try has ended. */
function readVoid(item: AdyenItem, endsTry: boolean): Fact {
  const numbers = numbersOf(item)
  const kind = endsTry && numbers.outTradeNo !== undefined ? 'closed' : 'refund'
  if (endsTry && item.originalReference === '') {
    return kind === 'closed' ? { kind, outTradeNo: numbers.outTradeNo } : recorded(item)
  }
  return { ...readTold(item, kind), undo: { form: 'all', state: 'done', ...timesOf(item) } }
}

function readMovement(item: AdyenItem, kind: 'refund' | 'dispute', state: UndoState): Fact {
  const money = readMoney(item)
  const id = readId({ path: 'pspReference', value: item.pspReference }, parseKeyPart)
  return {
    ...readTold(item, kind),
    channelRefundId: id,
    money,
    ...(kind === 'refund' && { cumulative: false }),
    undo: { form: 'one', state, id, money, ...timesOf(item) },
  }
}

/** A dispute is under way and its money is not: known from its first word on, so that the day to answer by is seen. */
function readCourse(item: AdyenItem): Fact {
  const told = orAbsent(() => readMoney(item))
  const id = readId({ path: 'pspReference', value: item.pspReference }, parseKeyPart)
  const money = told && { ...told, amount: sumAmounts([]) }
  return {
    ...readTold(item, 'dispute'),
    undo: { form: 'one', state: 'pending', id, ...(money !== undefined && { money }), ...timesOf(item) },
  }
}

function readTold<Kind extends Fact['kind']>(item: AdyenItem, kind: Kind) {
  return {
    kind,
    channelTxnId: readId(txnField(item), parseChannelTxnId),
    outTradeNo: idIfOurs(referenceField(item), parseOutTradeNo),
    refundNo: idIfOurs(referenceField(item), refundNoOfWireKey),
  }
}

/** Not signed: they order news and remind a person, and decide nothing else. */
function timesOf({ fields }: AdyenItem): Pick<Undo, 'at' | 'dueAt'> {
  const time = (...names: readonly string[]): Instant | undefined =>
    parseInstant(String(at(rootOf(fields), ...names).value ?? ''))
  const toldAt = time('eventDate')
  const dueAt = time('additionalData', 'defensePeriodEndsAt')
  return { ...(toldAt !== undefined && { at: toldAt }), ...(dueAt !== undefined && { dueAt }) }
}

function readPayment(item: AdyenItem): Fact {
  const money = readMoney(item)
  // A card that was stored: no money is no payment.
  if (money.amount === 0) return { ...recorded(item), code: 'AMOUNT_0' }
  return {
    kind: 'payment',
    channelTxnId: readId(txnField(item), parseChannelTxnId),
    // A reference that no order of ours can have: the money is an orphan's, not unreadable.
    outTradeNo: idIfOurs(referenceField(item), parseOutTradeNo),
    money,
    // Not signed, and only a day to look in the report: never a condition.
    paidAt: parseInstant(String(item.fields['eventDate'] ?? '')),
  }
}

function recorded(item: AdyenItem): Fact {
  return { kind: 'other', ...numbersOf(item), refundNo: idIfOurs(referenceField(item), refundNoOfWireKey) }
}

function numbersOf(item: AdyenItem): Pick<Fact, 'channelTxnId' | 'outTradeNo'> {
  return {
    channelTxnId: idIfOurs(txnField(item), parseChannelTxnId),
    outTradeNo: idIfOurs(referenceField(item), parseOutTradeNo),
  }
}

/** The payment's number, also on what was done to it later (docs/channels/adyen.md, Fields). */
function txnField(item: AdyenItem): Field {
  return item.originalReference === ''
    ? { path: 'pspReference', value: item.pspReference }
    : { path: 'originalReference', value: item.originalReference }
}

function referenceField(item: AdyenItem): Field {
  return { path: 'merchantReference', value: item.merchantReference }
}

function readMoney({ value, currency }: AdyenItem): Money {
  const money = value === '' ? undefined : moneyFromAdyen(Number(value), currency)
  if (money === undefined)
    throw new UnreadableFieldError('amount', 'is not a whole amount of a currency that is certain')
  return money
}
