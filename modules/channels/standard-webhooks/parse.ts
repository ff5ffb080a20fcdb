import { exponentOf } from '../../core/currencies.ts'
import { parseChannelTxnId, parseOutTradeNo, parseRefundNo } from '../../core/ids.ts'
import { type Money, parseCurrency, parseDecimal } from '../../core/money.ts'
import type { StandardWebhooksAccount, WebhookMapping } from '../account.ts'
import type { CallbackParser } from '../channel.ts'
import { eventIdOf, parseKeyPart } from '../event-id.ts'
import {
  at,
  type Field,
  idIfOurs,
  isAbsent,
  readId,
  readInteger,
  readOptionalId,
  readText,
  readTime,
  rootOf,
  UnreadableFieldError,
  wordOf,
} from '../field.ts'
import { parseJsonObject } from '../json.ts'
import { type Fact, readNotice } from '../notice.ts'
import type { StandardWebhooksKeys } from './keys.ts'

/** Reads a verified webhook by the account's mapping. `webhook-id` names the event over all its repeats. */
export const parseStandardWebhooks: CallbackParser<StandardWebhooksAccount, StandardWebhooksKeys> = (
  { channel, headers, body },
  { mapping },
) => {
  const eventId = eventIdOf(headers['webhook-id'], body)
  const message = parseJsonObject(body)
  if (message === undefined) return { ok: false, eventId, field: 'body', problem: 'is not a JSON object' }
  return readNotice(channel, eventId, () => readMessage(rootOf(message), mapping))
}

function readMessage(message: Field, mapping: WebhookMapping): Fact {
  const field = (path: string): Field => at(message, ...path.split('.'))
  const kind = kindOf(wordOf(field(mapping.type)), mapping.types)
  switch (kind) {
    case 'payment':
      return {
        kind,
        channelTxnId: readId(field(mapping.channelTxnId), parseChannelTxnId),
        outTradeNo: readOptionalId(field(mapping.outTradeNo), parseOutTradeNo),
        money: readMoney(field(mapping.amount), field(mapping.currency), mapping.unit),
        paidAt: readPaidAt(mapping.paidAt === undefined ? undefined : field(mapping.paidAt)),
      }
    case 'refund':
      return {
        kind,
        channelTxnId: readId(field(mapping.channelTxnId), parseChannelTxnId),
        outTradeNo: readOptionalId(field(mapping.outTradeNo), parseOutTradeNo),
        ...(mapping.refundNo !== undefined && readRefundNumbers(field(mapping.refundNo))),
        money: readMoney(field(mapping.amount), field(mapping.currency), mapping.unit),
        cumulative: false,
      }
    case 'dispute':
      return {
        kind,
        channelTxnId: readId(field(mapping.channelTxnId), parseChannelTxnId),
        outTradeNo: readOptionalId(field(mapping.outTradeNo), parseOutTradeNo),
        money: isAbsent(field(mapping.amount))
          ? undefined
          : readMoney(field(mapping.amount), field(mapping.currency), mapping.unit),
      }
    case 'failed':
    case 'closed':
      return {
        kind,
        channelTxnId: readOptionalId(field(mapping.channelTxnId), parseChannelTxnId),
        outTradeNo: readId(field(mapping.outTradeNo), parseOutTradeNo),
      }
    case 'other':
      return {
        kind,
        channelTxnId: idIfOurs(field(mapping.channelTxnId), parseChannelTxnId),
        outTradeNo: idIfOurs(field(mapping.outTradeNo), parseOutTradeNo),
      }
    default:
      return kind satisfies never
  }
}

type MappedKind = Exclude<Fact['kind'], 'probe' | 'unknown'>

function kindOf(type: string | undefined, types: WebhookMapping['types']): MappedKind {
  const has = (list: readonly string[] | undefined): boolean => type !== undefined && (list ?? []).includes(type)
  if (has(types.payment)) return 'payment'
  if (has(types.refund)) return 'refund'
  if (has(types.dispute)) return 'dispute'
  if (has(types.failed)) return 'failed'
  return has(types.closed) ? 'closed' : 'other'
}

function readRefundNumbers(field: Field): Pick<Fact, 'refundNo' | 'channelRefundId'> {
  return { refundNo: idIfOurs(field, parseRefundNo), channelRefundId: readOptionalId(field, parseKeyPart) }
}

function readPaidAt(field: Field | undefined): Fact['paidAt'] {
  return field === undefined || isAbsent(field) ? undefined : readTime(field)
}

function readMoney(amount: Field, currency: Field, unit: WebhookMapping['unit']): Money {
  const code = parseCurrency(readText(currency).toUpperCase())
  const exponent = code === undefined ? undefined : exponentOf(code)
  if (code === undefined || exponent === undefined) {
    throw new UnreadableFieldError(currency.path, 'is not a currency that the table knows')
  }
  if (unit === 'minor') return { amount: readInteger(amount), currency: code }
  const minor = parseDecimal(readText(amount), exponent)
  if (minor === undefined) throw new UnreadableFieldError(amount.path, 'is not a decimal text of its currency')
  return { amount: minor, currency: code }
}
