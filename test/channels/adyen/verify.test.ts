import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAdyenKeys } from '../../../modules/channels/adyen/keys.ts'
import { adyenVerifier } from '../../../modules/channels/adyen/verify.ts'
import { withOtherByte } from '../message-setup.ts'
import { ACCOUNT, HMAC_KEY, ITEM, message, signItem, verify } from './signed-webhook.ts'

it('a signed item of ours is taken', () => {
  expect(verify(message(signItem()))).toMatchObject({ ok: true, verified: { keyId: '0' } })
})

it('every item is checked, and one that is bad, unsigned or not ours refuses the whole message', () => {
  const good = signItem()
  const altered = { ...signItem(), success: 'false' }

  expect(verify(message(good, signItem({ pspReference: 'PSP2' })))).toMatchObject({ ok: true })
  expect(verify(message(good, altered))).toMatchObject({ ok: false, reason: 'bad-signature' })
  expect(verify(message(good, ITEM))).toMatchObject({ ok: false, reason: 'missing-header' })
  expect(verify(message(good, signItem({ merchantAccountCode: 'Foreign' })))).toMatchObject({ reason: 'not-ours' })
})

describe('one signature fits one reading only', () => {
  it('a colon is allowed in the reference, whose place is fixed from both ends', () => {
    expect(verify(message(signItem({ merchantReference: 'A:1:EUR' })))).toMatchObject({ ok: true })
  })

  it.each([
    ['psp and original reference', { pspReference: 'A:B' }],
    ['original reference and account', { originalReference: 'B:' }],
    ['account and reference', { merchantAccountCode: 'Shop:X', merchantReference: 'Y' }],
    ['currency and event', { amount: { value: 1, currency: 'CNY:AUTHORISATION' }, eventCode: '' }],
    ['event and success', { eventCode: 'AUTHORISATION:true', success: '' }],
  ])('a border that is moved between %s is refused', (_where, changes) => {
    expect(verify(message(signItem(changes)))).toMatchObject({ ok: false, reason: 'malformed' })
  })
})

it.each([
  ['no JSON', 'x'],
  ['no items', message()],
  ['an item that is none', '{"live":"false","notificationItems":[null]}'],
  [
    'a live flag that is no text',
    JSON.stringify({ live: false, notificationItems: [{ NotificationRequestItem: signItem() }] }),
  ],
  ['success as a word of JSON', message({ ...signItem(), success: true })],
  ['an amount that is no whole number', message(signItem({ amount: { value: 1.5, currency: 'EUR' } }))],
  ['an amount as an exponent', message(signItem({ amount: { value: '1e3', currency: 'EUR' } }))],
])('%s is malformed', (_what, body) => {
  expect(verify(body)).toMatchObject({ ok: false, reason: 'malformed' })
})

it('a live flag of the other environment is not ours', () => {
  expect(verify(message(signItem()), { ...ACCOUNT, live: true })).toMatchObject({ ok: false, reason: 'not-ours' })
})

it('Adyen reads any 2xx as received, and a refusal as to be sent again', () => {
  expect(adyenVerifier.ack.status).toBe(200)
  expect(adyenVerifier.refusal.status).toBe(401)
})

it.each([
  ['no list', {}],
  ['an empty list', { hmacKeys: [] }],
  ['a short key', { hmacKeys: ['A1B2'] }],
  ['text that is not hex', { hmacKeys: ['Z'.repeat(64)] }],
  ['an unknown name', { hmacKeys: [HMAC_KEY], hmacKey: HMAC_KEY }],
  ['an API key with a blank', { hmacKeys: [HMAC_KEY], apiKey: 'a b' }],
])('a secret with %s is refused without showing it', (_what, secret) => {
  const read = () => readAdyenKeys(JSON.stringify(secret))

  expect(read).toThrow(expect.objectContaining({ name: 'KeyFormatError' }))
  expect(read).not.toThrow(new RegExp(HMAC_KEY))
})

it('no bytes throw, and whatever byte of the signed fields is altered, it is refused', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void verify(Buffer.from(bytes))))
  const body = Buffer.from(message(signItem()))
  const end = body.indexOf('"eventDate"') - 1
  const start = body.indexOf('"pspReference"') + 16
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (position, change) => {
      const altered = Buffer.concat([
        body.subarray(0, start),
        withOtherByte(body.subarray(start, end), position, change),
        body.subarray(end),
      ])
      expect(verify(altered).ok).toBe(false)
    }),
  )
})
