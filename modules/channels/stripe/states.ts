import type { UndoState } from '../../core/channel-event.ts'
import type { CodeMeaning, CodeTable } from '../refusal.ts'

/**
 * A PaymentIntent's `status` for us. An authorised one (requires_capture) is not paid and can be cancelled, which gives the
 * buyer the hold back. Total: what is not here is no answer.
 * Source: docs/channels/stripe.md, Trade states
 */
export const STRIPE_STATES: ReadonlyMap<string, 'paid' | 'closable' | 'moving' | 'closed'> = new Map([
  ['requires_payment_method', 'closable'],
  ['requires_confirmation', 'closable'],
  ['requires_action', 'closable'],
  ['requires_capture', 'closable'],
  ['processing', 'moving'],
  ['succeeded', 'paid'],
  ['canceled', 'closed'],
])

/** A Checkout Session's `status` for us; `intent` leads to its PaymentIntent. Source: docs/channels/stripe.md, Trade states */
export const STRIPE_SESSION_STATES: ReadonlyMap<string, 'closable' | 'intent' | 'closed'> = new Map([
  ['open', 'closable'],
  ['complete', 'intent'],
  ['expired', 'closed'],
])

/** A Refund's `status`. Source: docs/channels/stripe.md, Event types */
export const STRIPE_REFUND_STATES: ReadonlyMap<string, UndoState> = new Map([
  ['pending', 'pending'],
  ['requires_action', 'pending'],
  ['succeeded', 'done'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
])

/** A Dispute's `status`; what it moved so far is told apart. Source: docs/channels/stripe.md, Event types */
export const STRIPE_DISPUTE_STATES: ReadonlyMap<string, UndoState> = new Map([
  ['needs_response', 'pending'],
  ['under_review', 'pending'],
  ['warning_needs_response', 'pending'],
  ['warning_under_review', 'pending'],
  ['warning_closed', 'failed'],
  ['prevented', 'failed'],
  ['won', 'reversed'],
  ['lost', 'done'],
])

export const STRIPE_NOT_FOUND = 'resource_missing'
/** Cannot be cancelled as it stands; the intent itself is in the error. Source: docs/channels/stripe.md, Result codes of close */
export const STRIPE_UNEXPECTED_STATE = 'payment_intent_unexpected_state'

/**
 * `error.code`, or `error.type` where there is none. 401 and 403 are ours to fix, whatever they say.
 * Source: docs/channels/stripe.md, Result codes of query
 */
export const STRIPE_CODES: CodeTable = new Map<string, CodeMeaning>([
  ['idempotency_key_in_use', 'transient'],
  ['rate_limit', 'transient'],
  ['lock_timeout', 'transient'],
  ['api_key_expired', 'misconfigured'],
  ['parameter_missing', 'wrongRequest'],
  ['parameter_unknown', 'wrongRequest'],
  ['parameter_invalid_empty', 'wrongRequest'],
  ['parameter_invalid_integer', 'wrongRequest'],
  ['parameter_invalid_string_blank', 'wrongRequest'],
  ['parameter_invalid_string_empty', 'wrongRequest'],
  ['parameters_exclusive', 'wrongRequest'],
  ['livemode_mismatch', 'misconfigured'],
  ['testmode_charges_only', 'misconfigured'],
  ['tls_version_unsupported', 'misconfigured'],
])
