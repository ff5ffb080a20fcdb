import type { Undo } from '../../core/channel-event.ts'
import { exponentOf } from '../../core/currencies.ts'
import { parseChannelTxnId, parseOutTradeNo } from '../../core/ids.ts'
import { type Instant, instantOf } from '../../core/instant.ts'
import { type Money, parseCurrency, parseDecimal } from '../../core/money.ts'
import type { StandardWebhooksAccount, WebhookMapping } from '../account.ts'
import type { CallbackParser } from '../channel.ts'
import { channelCodeOf } from '../channel-code.ts'
import { eventIdOf, parseKeyPart } from '../event-id.ts'
import {
  at,
  type Field,
  idIfOurs,
  orAbsent,
  readId,
  readInteger,
  readText,
  readTime,
  rootOf,
  UnreadableFieldError,
  wordOf,
} from '../field.ts'
import { parseJsonObject } from '../json.ts'
import { type Fact, readFacts } from '../notice.ts'
import { parseUnixSeconds } from '../signed-time.ts'
import { refundNoOfWireKey } from '../wire-refund-no.ts'
import type { StandardWebhooksKeys } from './keys.ts'

/** One message with the account's mapping of it. */
interface Message {
  readonly mapping: WebhookMapping
  readonly field: (path: string) => Field
  /** The signed time of this sending: the news is at most as old. */
  readonly sentAt: Instant | undefined
}

/** Reads a verified webhook by the account's mapping. `webhook-id` names the event over all its repeats. */
export const parseStandardWebhooks: CallbackParser<StandardWebhooksAccount, StandardWebhooksKeys> = (
  { channel, headers, body },
  { mapping },
) => {
  const eventId = eventIdOf(headers['webhook-id'], body)
  const json = parseJsonObject(body)
  if (json === undefined) return { ok: false, eventId, field: 'body', problem: 'is not a JSON object', isMoney: true }
  const sentSeconds = parseUnixSeconds(headers['webhook-timestamp'] ?? '')
  const message: Message = {
    mapping,
    field: (path) => at(rootOf(json), ...path.split('.')),
    sentAt: sentSeconds === undefined ? undefined : instantOf(sentSeconds * 1000),
  }
  const kind = kindOf(wordOf(message.field(mapping.type)), mapping.types)
  const known = { ...numbersOf(message), isMoney: kind === 'payment' }
  return readFacts(channel, [{ eventId, known, read: () => readMessage(kind, message) }])
}

function readMessage(kind: MappedKind, message: Message): Fact {
  const { mapping, field } = message
  const numbers = numbersOf(message)
  switch (kind) {
    case 'payment': {
      const money = readMoney(message)
      // A trial or a card that was stored: no money is no payment.
      if (money.amount === 0) return { kind: 'other', ...numbers, code: 'AMOUNT_0' }
      return { kind, ...numbers, channelTxnId: readTransaction(message), money, paidAt: readPaidAt(message) }
    }
    case 'refund':
      return readRefund(message)
    case 'dispute': {
      const money = orAbsent(() => readMoney(message))
      const undo: Undo = { ...undoOf(message, money), form: 'one', state: 'pending' }
      return { kind, ...numbers, channelTxnId: readTransaction(message), money, undo }
    }
    case 'failed':
      return { kind: numbers.outTradeNo === undefined ? 'other' : kind, ...numbers }
    case 'closed':
      // The end of a payment, where it names one; else the end of our try, if the number can be ours.
      if (numbers.channelTxnId !== undefined) return { kind, ...numbers, undo: { ...undoOf(message), form: 'all' } }
      return { kind: numbers.outTradeNo === undefined ? 'other' : kind, ...numbers }
    case 'other':
      return { kind, ...numbers }
    case 'unknown':
      return { kind, ...numbers, code: channelCodeOf(wordOf(field(mapping.type))) }
    default:
      return kind satisfies never
  }
}

/** One refund, or the sum of all so far, as the mapping says; without a readable amount, an unknown one. */
function readRefund(message: Message): Fact {
  const { mapping, field } = message
  const money = orAbsent(() => readMoney(message))
  const own = mapping.refundNo === undefined ? undefined : field(mapping.refundNo)
  const form = money === undefined ? 'amountUnknown' : (mapping.refundForm ?? 'one')
  return {
    kind: 'refund',
    ...numbersOf(message),
    channelTxnId: readTransaction(message),
    ...(own !== undefined && {
      refundNo: idIfOurs(own, refundNoOfWireKey),
      channelRefundId: idIfOurs(own, parseKeyPart),
    }),
    ...(money !== undefined && { money, cumulative: form === 'sum' }),
    undo: { ...undoOf(message, money), form },
  }
}

function undoOf({ mapping, field, sentAt }: Message, money?: Money): Omit<Undo, 'form'> {
  const id = mapping.refundNo === undefined ? undefined : idIfOurs(field(mapping.refundNo), parseKeyPart)
  return {
    state: 'done',
    ...(id !== undefined && { id }),
    ...(money !== undefined && { money }),
    ...(sentAt !== undefined && { at: sentAt }),
  }
}

type MappedKind = Exclude<Fact['kind'], 'probe'>

/** A type that no list of the mapping names is unknown: only one that is listed as ignored is known to move nothing. */
function kindOf(type: string | undefined, types: WebhookMapping['types']): MappedKind {
  const has = (list: readonly string[] | undefined): boolean => type !== undefined && (list ?? []).includes(type)
  if (has(types.payment)) return 'payment'
  if (has(types.refund)) return 'refund'
  if (has(types.dispute)) return 'dispute'
  if (has(types.failed)) return 'failed'
  if (has(types.closed)) return 'closed'
  return has(types.ignored) ? 'other' : 'unknown'
}

function numbersOf({ mapping, field }: Message): Pick<Fact, 'channelTxnId' | 'outTradeNo'> {
  return {
    channelTxnId: idIfOurs(field(mapping.channelTxnId), parseChannelTxnId),
    outTradeNo: idIfOurs(field(mapping.outTradeNo), parseOutTradeNo),
  }
}

function readTransaction({ mapping, field }: Message) {
  return readId(field(mapping.channelTxnId), parseChannelTxnId)
}

/** A time that cannot be read costs the time, and not the payment. */
function readPaidAt({ mapping, field }: Message): Fact['paidAt'] {
  const { paidAt } = mapping
  return paidAt === undefined ? undefined : orAbsent(() => readTime(field(paidAt)))
}

function readMoney({ mapping, field }: Message): Money {
  const currency = field(mapping.currency)
  const amount = field(mapping.amount)
  const code = parseCurrency(readText(currency).toUpperCase())
  const exponent = code === undefined ? undefined : exponentOf(code)
  if (code === undefined || exponent === undefined) {
    throw new UnreadableFieldError(currency.path, 'is not a currency that the table knows')
  }
  if (mapping.unit === 'minor') return { amount: readInteger(amount), currency: code }
  const minor = parseDecimal(readText(amount), exponent)
  if (minor === undefined) throw new UnreadableFieldError(amount.path, 'is not a decimal text of its currency')
  return { amount: minor, currency: code }
}
