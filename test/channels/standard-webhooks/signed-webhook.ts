import { Webhook } from 'standardwebhooks'
import type { StandardWebhooksAccount } from '../../../modules/channels/account.ts'
import type { CallbackRequest, Parsed } from '../../../modules/channels/channel.ts'
import { parseStandardWebhooks } from '../../../modules/channels/standard-webhooks/parse.ts'
import { standardWebhooksVerifier } from '../../../modules/channels/standard-webhooks/verify.ts'
import { CHANNEL, NOW, NOW_SECONDS, requestOf, verifiedOf } from '../message-setup.ts'

export const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`
export const KEYS = standardWebhooksVerifier.readKeys(JSON.stringify({ secrets: [SECRET] }))
export const ACCOUNT: StandardWebhooksAccount = {
  kind: 'standard-webhooks',
  id: CHANNEL,
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
    types: {
      payment: ['paid'],
      failed: ['payment.failed'],
      closed: ['payment.closed'],
      refund: ['refunded'],
      dispute: ['disputed'],
      ignored: ['customer.created'],
    },
  },
}
export const IN_MAJOR: StandardWebhooksAccount = { ...ACCOUNT, mapping: { ...ACCOUNT.mapping, unit: 'major' } }

export const DATA = {
  order_no: 'ORDER_0001',
  txn: 'txn_1',
  amount: 8800,
  currency: 'CNY',
  paid_at: '2026-11-02T09:59:57+08:00',
  refund_no: 'theirs-1',
}

export function aMessage(type: string, data: object = DATA): string {
  return JSON.stringify({ type, data })
}

/** A request that the reference library signed. */
export function sign(payload: string, seconds: number = NOW_SECONDS, id = 'msg_1'): CallbackRequest {
  const signature = new Webhook(SECRET).sign(id, new Date(seconds * 1000), payload)
  return requestOf({ 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signature }, payload)
}

export function verify(request: CallbackRequest, account: StandardWebhooksAccount = ACCOUNT, keys = KEYS) {
  return standardWebhooksVerifier.verify(request, account, keys, NOW)
}

export function parse(payload: string, account: StandardWebhooksAccount = ACCOUNT): Parsed {
  return parseStandardWebhooks(verifiedOf(verify(sign(payload))), account, KEYS)
}
