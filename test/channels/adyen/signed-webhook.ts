import { createHmac } from 'node:crypto'
import type { AdyenAccount } from '../../../modules/channels/account.ts'
import { parseAdyen } from '../../../modules/channels/adyen/parse.ts'
import { adyenVerifier } from '../../../modules/channels/adyen/verify.ts'
import type { Parsed } from '../../../modules/channels/channel.ts'
import { CHANNEL, NOW, requestOf, verifiedOf } from '../message-setup.ts'

export const HMAC_KEY = 'A1B2C3D4E5F60718293A4B5C6D7E8F90'.repeat(2)
export const ACCOUNT: AdyenAccount = { kind: 'adyen', id: CHANNEL, merchantAccounts: ['Shop', 'Other'], live: false }
export const CLIENT_SECRET = JSON.stringify({ hmacKeys: [HMAC_KEY], apiKey: 'AQE-test' })
export const KEYS = adyenVerifier.readKeys(CLIENT_SECRET)

export const ITEM = {
  pspReference: 'PSP0000000000001',
  merchantAccountCode: 'Shop',
  merchantReference: 'ORDER_0001',
  amount: { value: 10000, currency: 'CNY' },
  eventCode: 'AUTHORISATION',
  success: 'true',
  eventDate: '2026-11-02T02:59:57+01:00',
}

export type Item = Partial<Omit<typeof ITEM, 'amount'>> & {
  readonly originalReference?: string
  readonly amount?: { readonly value?: unknown; readonly currency?: unknown }
  /** What is not signed, beside the signature. */
  readonly additionalData?: Readonly<Record<string, unknown>>
}

/** One item with its signature, by the described rule: eight fields, a missing one empty, joined by colons. */
export function signItem(changes: Item = {}, key = HMAC_KEY): Readonly<Record<string, unknown>> {
  const item: Item = { ...ITEM, ...changes }
  const text = [
    item.pspReference,
    item.originalReference,
    item.merchantAccountCode,
    item.merchantReference,
    item.amount?.value,
    item.amount?.currency,
    item.eventCode,
    item.success,
  ]
    .map((value) => value ?? '')
    .join(':')
  const hmacSignature = createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('base64')
  return { ...item, additionalData: { ...item.additionalData, hmacSignature } }
}

export function message(...items: readonly unknown[]): string {
  const notificationItems = items.map((item) => ({ NotificationRequestItem: item }))
  return JSON.stringify({ live: 'false', notificationItems })
}

export function verify(body: string | Buffer, account: AdyenAccount = ACCOUNT) {
  return adyenVerifier.verify(requestOf({}, body), account, KEYS, NOW)
}

export function parse(changes: Item, account: AdyenAccount = ACCOUNT): Parsed {
  return parseAdyen(verifiedOf(verify(message(signItem(changes)), account)), account, KEYS)
}
