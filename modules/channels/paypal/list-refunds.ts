import { type ChannelTxnId, parseChannelTxnId } from '../../core/ids.ts'
import type { Outcome } from '../../core/outcome.ts'
import { at, type Field, idIfOurs, rootOf, wordOf } from '../field.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import { captureLinkedFrom } from './read-fields.ts'
import { askPaypal, type PaypalCall } from './session.ts'

export interface ListedRefunds {
  readonly outcome: Outcome
  readonly refunds: readonly JsonObject[]
}

const NONE: ListedRefunds = { outcome: { kind: 'done' }, refunds: [] }

/**
 * The refunds of a capture. PayPal lists them with the order that the capture belongs to, and nowhere else; a capture that names no
 * order, or one that PayPal does not keep any more, lists none.
 * Source: https://developer.paypal.com/docs/api/orders/v2/#orders_get, `purchase_units[].payments.refunds`
 */
export async function listRefunds(
  capture: Field,
  id: ChannelTxnId,
  { account, session, deps }: PaypalCall,
): Promise<ListedRefunds> {
  const orderId = orderOf(capture)
  if (orderId === undefined) return NONE
  const path = `/v2/checkout/orders/${encodeURIComponent(orderId)}`
  const result = await askPaypal(path, account, session, deps)
  if (result.kind === 'none') return { outcome: result.outcome, refunds: [] }
  if (result.kind === 'notFound') return NONE
  const units = objectsIn(at(rootOf(result.object), 'purchase_units'))
  const captures = units.flatMap((unit) => objectsIn(at(rootOf(unit), 'payments', 'captures')))
  const refunds = units.flatMap((unit) => objectsIn(at(rootOf(unit), 'payments', 'refunds')))
  return { ...NONE, refunds: refunds.filter((refund) => belongsTo(rootOf(refund), id, captures.length)) }
}

/** A refund that names no capture is that of the only one. */
function belongsTo(refund: Field, id: ChannelTxnId, captures: number): boolean {
  const linked = captureLinkedFrom(refund).value
  return linked === undefined ? captures === 1 : linked === id
}

function orderOf(capture: Field): ChannelTxnId | undefined {
  const related = idIfOurs(at(capture, 'supplementary_data', 'related_ids', 'order_id'), parseChannelTxnId)
  const up = objectsIn(at(capture, 'links')).find((link) => link['rel'] === 'up')
  const href = up === undefined ? undefined : wordOf(at(rootOf(up), 'href'))
  const linked = ORDER.exec(href ?? '')?.[1]
  return related ?? (linked === undefined ? undefined : parseChannelTxnId(linked))
}

const ORDER = /\/v2\/checkout\/orders\/([0-9A-Za-z-]{1,64})$/

function objectsIn({ value }: Field): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}
