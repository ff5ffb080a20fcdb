import { parseChannelTxnId } from '../../core/ids.ts'
import { channelCodeOf } from '../channel-code.ts'
import { at, type Field, idIfOurs, wordOf } from '../field.ts'
import type { Fact } from '../notice.ts'
import { STRIPE_RECORDED } from './recorded-types.ts'

/** What a related object is about: the payment itself, or money of it that went back. */
const RELATED: ReadonlyMap<string, 'payment' | 'refund' | 'dispute'> = new Map([
  ['payment_intent', 'payment'],
  ['checkout.session', 'payment'],
  ['charge', 'refund'],
  ['refund', 'refund'],
  ['dispute', 'dispute'],
])

/**
 * A thin event holds no object, only the type and id of a related one: it has that object asked about.
 * Source: docs/channels/stripe.md, Callback
 */
export function readThinEvent(type: string | undefined, event: Field): Fact {
  if (type === 'v2.core.event_destination.ping') return { kind: 'probe' }
  if (isRecorded(type)) return { kind: 'other' }
  const related = at(event, 'related_object')
  const kind = RELATED.get(wordOf(at(related, 'type')) ?? '')
  const channelTxnId = idIfOurs(at(related, 'id'), parseChannelTxnId)
  if (kind !== undefined && channelTxnId !== undefined) return { kind, trust: 'hint', channelTxnId }
  return { kind: 'unknown', code: channelCodeOf(type) }
}

/** A thin type is its own, or that of the whole event behind its version: `v1.payment_intent.created`. */
function isRecorded(type: string | undefined): boolean {
  return type !== undefined && (STRIPE_RECORDED.has(type) || STRIPE_RECORDED.has(type.replace(/^v1\./, '')))
}
