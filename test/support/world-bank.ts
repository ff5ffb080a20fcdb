import { createHash } from 'node:crypto'
import type { StandardWebhooksAccount } from '../../modules/channels/account.ts'
import { proveVerified, type VerifiedCallback } from '../../modules/channels/channel.ts'
import { type Parse, parserOf } from '../../modules/channels/parsers.ts'
import { type Instant, msOf } from '../../modules/core/instant.ts'
import { aChannel, anInstant } from './core-builders.ts'

export const BANK = aChannel('bank')
export const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`
export const BANK_SECRET = JSON.stringify({ secrets: [SECRET] })
export const START = anInstant('2026-03-01T08:00:00.000Z')

/** A Standard Webhooks sender whose amounts are minor units. */
export const bankAccount: StandardWebhooksAccount = {
  kind: 'standard-webhooks',
  id: BANK,
  scheme: 'v1',
  mapping: {
    type: 'type',
    outTradeNo: 'data.order_no',
    channelTxnId: 'data.txn',
    amount: 'data.amount',
    currency: 'data.currency',
    paidAt: 'data.paid_at',
    refundNo: 'data.refund_no',
    unit: 'minor',
    types: { payment: ['paid'], failed: ['failed'], closed: ['closed'], refund: ['refunded'], dispute: ['disputed'] },
  },
}

export const parseBank: Parse = parserOf(bankAccount).openKeys(BANK_SECRET)

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

let events = 0

/** A verified callback of the bank; each has an event id of its own unless it is given. */
export function aCallback(
  data: Readonly<Record<string, unknown>>,
  { type = 'paid', eventId = `evt-${++events}`, receivedAt = START, extra = {} } = {},
): VerifiedCallback {
  return callbackOf(JSON.stringify({ type, data, ...extra }), eventId, receivedAt)
}

/** A verified callback of the bank with a body as it is. */
export function callbackOf(body: string, eventId = `evt-${++events}`, receivedAt: Instant = START): VerifiedCallback {
  return proveVerified({
    channel: BANK,
    receivedAt,
    keyId: 'v1-0',
    headers: { 'webhook-id': eventId, 'webhook-timestamp': String(Math.floor(msOf(receivedAt) / 1000)) },
    body: Buffer.from(body),
  })
}
