import { type ChannelTxnId, parseChannelTxnId } from '../../core/ids.ts'
import type { Money } from '../../core/money.ts'
import { at, type Field, readInteger, readText, UnreadableFieldError } from '../field.ts'
import { moneyFromStripe } from './amounts.ts'

/** A PaymentIntent's id, our canonical number of a Stripe payment. */
export function parseIntentId(text: string): ChannelTxnId | undefined {
  return text.startsWith('pi_') ? parseChannelTxnId(text) : undefined
}

/** An object's amount of that name with its `currency`, as ISO minor units. @throws UnreadableFieldError */
export function readStripeMoney(object: Field, amountName: string): Money {
  const amount = at(object, amountName)
  const currency = at(object, 'currency')
  const money = moneyFromStripe(readInteger(amount), readText(currency))
  if (money !== undefined) return money
  // Which of the two is wrong: 0 is on every step, so only an unknown currency refuses it.
  const isUnknownCurrency = moneyFromStripe(0, readText(currency)) === undefined
  throw isUnknownCurrency
    ? new UnreadableFieldError(currency.path, 'is not a currency of the Stripe table')
    : new UnreadableFieldError(amount.path, 'is not a whole number of the smallest units of its currency')
}
