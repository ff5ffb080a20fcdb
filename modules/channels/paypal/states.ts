import type { UndoState } from '../../core/channel-event.ts'
import type { CodeMeaning, CodeTable } from '../refusal.ts'

/**
 * An order's `status` for us, when none of its captures decides. `waiting` cannot be closed at PayPal: money moves only by our
 * own capture call, so it is waited out. Total: what is not here is no answer.
 * Source: docs/channels/paypal.md, Trade states
 */
export const PAYPAL_ORDER_STATES: ReadonlyMap<string, 'waiting' | 'captures' | 'closed'> = new Map([
  ['CREATED', 'waiting'],
  ['SAVED', 'waiting'],
  ['PAYER_ACTION_REQUIRED', 'waiting'],
  ['APPROVED', 'waiting'],
  ['COMPLETED', 'captures'],
  ['VOIDED', 'closed'],
])

/** A capture's `status` for us. Total. Source: docs/channels/paypal.md, Trade states */
export const PAYPAL_CAPTURE_STATES: ReadonlyMap<string, 'paid' | 'moving' | 'failed' | 'refunded'> = new Map([
  ['COMPLETED', 'paid'],
  ['PARTIALLY_REFUNDED', 'paid'],
  ['PENDING', 'moving'],
  ['DECLINED', 'failed'],
  ['FAILED', 'failed'],
  ['REFUNDED', 'refunded'],
])

/** A refund's `status` for us. What is not here is no answer. Source: docs/channels/paypal.md, Refunds */
export const PAYPAL_REFUND_STATES: ReadonlyMap<string, UndoState> = new Map([
  ['PENDING', 'pending'],
  ['COMPLETED', 'done'],
  ['FAILED', 'failed'],
  ['CANCELLED', 'failed'],
])

/**
 * How a resolved dispute ended, by `dispute_outcome.outcome_code`. `RESOLVED_WITH_PAYOUT` is paid by PayPal to both sides, and a
 * `DENIED` one was not taken up. What is not here stays pending.
 * Source: https://developer.paypal.com/api/customer-disputes/v1/definitions/dispute_outcome
 */
export const PAYPAL_DISPUTE_OUTCOMES: ReadonlyMap<string, UndoState> = new Map([
  ['RESOLVED_BUYER_FAVOUR', 'done'],
  ['ACCEPTED', 'done'],
  ['RESOLVED_SELLER_FAVOUR', 'reversed'],
  ['RESOLVED_WITH_PAYOUT', 'reversed'],
  ['CANCELED_BY_BUYER', 'reversed'],
  ['DENIED', 'reversed'],
])

/** Reasons of a PENDING capture that wait for the merchant, with what to do. Source: docs/channels/paypal.md, Trade states */
export const PAYPAL_MERCHANT_REASONS: ReadonlyMap<string, string> = new Map([
  ['OTHER', 'PayPal holds the payment and names no reason. Look at it in the PayPal account.'],
  [
    'INTERNATIONAL_WITHDRAWAL',
    'Accept the payment by hand in the PayPal account: its settings hold money from abroad.',
  ],
  [
    'RECEIVING_PREFERENCE_MANDATES_MANUAL_ACTION',
    "Accept the payment in the PayPal account, or change the account's settings for receiving money.",
  ],
  ['UNILATERAL', 'Confirm the address of the PayPal account that is paid: it is not confirmed yet.'],
  ['VERIFICATION_REQUIRED', 'Verify the PayPal account: it takes no money before.'],
])

/** Errors by their `name`. Source: docs/channels/paypal.md, Result codes of query */
export const PAYPAL_CODES: CodeTable = new Map<string, CodeMeaning>([
  ['RATE_LIMIT_REACHED', 'transient'],
  ['NOT_AUTHORIZED', 'misconfigured'],
  ['PERMISSION_DENIED', 'misconfigured'],
  ['INVALID_REQUEST', 'wrongRequest'],
  ['invalid_client', 'misconfigured'],
])

export const PAYPAL_NOT_FOUND = 'RESOURCE_NOT_FOUND'
