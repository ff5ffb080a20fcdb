import type { ChannelId } from '../../core/ids.ts'
import { parseChannelTxnId, parseOutTradeNo, parseRefundNo } from '../../core/ids.ts'
import { parseInstant } from '../../core/instant.ts'
import type { Money } from '../../core/money.ts'
import type { AdyenAccount } from '../account.ts'
import type { CallbackParser, Parsed } from '../channel.ts'
import { eventIdOf, parseKeyPart } from '../event-id.ts'
import { type Field, idIfOurs, readId, UnreadableFieldError } from '../field.ts'
import { type Fact, readNotice } from '../notice.ts'
import { moneyFromAdyen } from './amounts.ts'
import { meaningOf } from './events.ts'
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
  const parsed = message.items.map((item) => parseItem(item, channel, account))
  // One item that cannot be read keeps the whole message for a person: half of it would look settled.
  const events = parsed.flatMap((one) => (one.ok ? one.events : []))
  return parsed.find((one) => !one.ok) ?? { ok: true, events }
}

function parseItem(item: AdyenItem, channel: ChannelId, account: AdyenAccount): Parsed {
  const eventId = eventIdOf(`${item.pspReference}/${item.eventCode}/${item.success}`, Buffer.alloc(0))
  return readNotice(channel, eventId, () => readItem(item, account))
}

function readItem(item: AdyenItem, { capture }: AdyenAccount): Fact {
  const meaning = meaningOf(item.eventCode, item.success)
  switch (meaning) {
    case 'authorised':
      return capture === 'manual' ? hintOf(item) : readPayment(item)
    case 'captured':
      return readPayment(item)
    case 'closed': {
      const hint = hintOf(item)
      return hint.outTradeNo === undefined ? hint : { ...hint, kind: 'closed', refundNo: undefined }
    }
    case 'refund':
      return {
        kind: 'refund',
        channelTxnId: readId(txnField(item), parseChannelTxnId),
        refundNo: idIfOurs(referenceField(item), parseRefundNo),
        channelRefundId: readId({ path: 'pspReference', value: item.pspReference }, parseKeyPart),
        money: readMoney(item),
        cumulative: false,
      }
    case 'dispute':
      return {
        kind: 'dispute',
        channelTxnId: readId(txnField(item), parseChannelTxnId),
        refundNo: idIfOurs(referenceField(item), parseRefundNo),
        money: item.value === '' ? undefined : readMoney(item),
      }
    case 'other':
      return hintOf(item)
    default:
      return meaning satisfies never
  }
}

function readPayment(item: AdyenItem): Fact {
  return {
    kind: 'payment',
    channelTxnId: readId(txnField(item), parseChannelTxnId),
    // A reference that no order of ours can have: the money is an orphan's, not unreadable.
    outTradeNo: idIfOurs(referenceField(item), parseOutTradeNo),
    money: readMoney(item),
    // Not signed, and only a day to look in the report: never a condition.
    paidAt: parseInstant(String(item.fields['eventDate'] ?? '')),
  }
}

function hintOf(item: AdyenItem): Fact {
  return {
    kind: 'other',
    channelTxnId: idIfOurs(txnField(item), parseChannelTxnId),
    outTradeNo: idIfOurs(referenceField(item), parseOutTradeNo),
    refundNo: idIfOurs(referenceField(item), parseRefundNo),
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
