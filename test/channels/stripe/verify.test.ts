import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KeyFormatError } from '../../../modules/channels/errors.ts'
import { stripeVerifier } from '../../../modules/channels/stripe/verify.ts'
import { NOW, NOW_SECONDS, requestOf, withOtherByte } from '../message-setup.ts'
import { ACCOUNT, anEvent, INTENT, KEYS, SECRET, sign, verify } from './signed-event.ts'

const PAYLOAD = anEvent('payment_intent.succeeded', INTENT)
const HEADER = sign(PAYLOAD).headers['stripe-signature'] ?? ''
const withHeader = (header: string) => verify(requestOf({ 'stripe-signature': header }, PAYLOAD))

describe('who may speak for Stripe', () => {
  it('what the library of Stripe signs is accepted, with the position of the secret that matched', () => {
    const rolled = stripeVerifier.readKeys(JSON.stringify({ signingSecrets: ['whsec_the_new_one', SECRET] }))

    const verification = stripeVerifier.verify(sign(PAYLOAD), ACCOUNT, rolled, NOW)

    expect(verification).toMatchObject({ ok: true, verified: { keyId: '1', headers: { 'stripe-signature': HEADER } } })
  })

  it('leaving the signature out, changing its scheme or its value is refused', () => {
    const zeros = '0'.repeat(64)

    expect(verify(requestOf({}, PAYLOAD))).toMatchObject({ reason: 'missing-header' })
    expect(withHeader(HEADER.replace('v1=', 'v0='))).toMatchObject({ reason: 'not-allowed' })
    expect(withHeader(`t=${NOW_SECONDS},v1=${zeros}`)).toMatchObject({ reason: 'bad-signature' })
  })

  it('a second header with one good value is malformed, in either order, and never a rotation', () => {
    const forged = `t=${NOW_SECONDS},v1=${'0'.repeat(64)}`

    expect(withHeader(`${forged},${HEADER}`)).toEqual({ ok: false, reason: 'malformed' })
    expect(withHeader(`${HEADER},${forged}`)).toEqual({ ok: false, reason: 'malformed' })
  })

  it('an item that is no name and value is malformed, beside good ones too', () => {
    expect(withHeader(`${HEADER},junk`)).toEqual({ ok: false, reason: 'malformed' })
  })

  it('a list of v1 values inside one header is the rotation that Stripe documents', () => {
    expect(withHeader(HEADER.replace('v1=', `v1=${'0'.repeat(64)},v1=`))).toMatchObject({ ok: true })
  })

  it('an event of the other mode is refused at the edge', () => {
    const testMode = anEvent('payment_intent.succeeded', INTENT, { livemode: false })

    expect(verify(sign(testMode))).toEqual({ ok: false, reason: 'not-ours' })
    expect(verify(sign(testMode), { ...ACCOUNT, livemode: false })).toMatchObject({ ok: true })
    expect(verify(sign(anEvent('x', INTENT, { livemode: 'true' })))).toEqual({ ok: false, reason: 'not-ours' })
  })

  it('an event of another connected account is refused, and so is any account where none is configured', () => {
    const theirs = sign(anEvent('payment_intent.succeeded', INTENT, { account: 'acct_theirs' }))

    expect(verify(theirs)).toEqual({ ok: false, reason: 'not-ours' })
    expect(verify(theirs, { ...ACCOUNT, account: 'acct_ours' })).toEqual({ ok: false, reason: 'not-ours' })
    expect(verify(sign(PAYLOAD), { ...ACCOUNT, account: 'acct_ours' })).toEqual({ ok: false, reason: 'not-ours' })
    expect(verify(theirs, { ...ACCOUNT, account: 'acct_theirs' })).toMatchObject({ ok: true })
  })

  it.each([-300, -299, 0, 299, 300])('a time %i s from now is inside the window', (offset) => {
    expect(verify(sign(PAYLOAD, NOW_SECONDS + offset))).toMatchObject({ ok: true })
  })

  it.each([-301, 301])('a time %i s from now is outside, even where their library accepts it', (offset) => {
    expect(verify(sign(PAYLOAD, NOW_SECONDS + offset))).toEqual({ ok: false, reason: 'out-of-tolerance' })
  })

  it.each(['NaN', '', '1e30', `${NOW_SECONDS} `, `+${NOW_SECONDS}`, `${NOW_SECONDS}abc`, '-1', '1'.repeat(13)])(
    'a time of %j is malformed',
    (time) => {
      expect(withHeader(HEADER.replace(/^t=\d+/, `t=${time}`))).toEqual({ ok: false, reason: 'malformed' })
    },
  )

  it('odd spacing, key order, escapes, a name twice and a last newline are verified as received', () => {
    const odd = `{ "type" : "payment_intent.succeeded", "id":"evt_1", "id": "evt_2","x":"\\/\\u652f",\n"livemode":true}\n`

    expect(verify(sign(odd))).toMatchObject({ ok: true, verified: { body: Buffer.from(odd) } })
    expect(verify(requestOf(sign(odd).headers, JSON.stringify(JSON.parse(odd))))).toMatchObject({ ok: false })
  })

  it('the answers are exactly what Stripe expects and tell nothing', () => {
    expect(stripeVerifier.ack).toEqual({ status: 200, headers: {}, body: '' })
    expect(stripeVerifier.refusal).toEqual({ status: 400, headers: {}, body: '' })
  })
})

describe('forgeries that nobody thought of', () => {
  it('any other byte in the body is refused', () => {
    const { headers, body } = sign(PAYLOAD)

    fc.assert(
      fc.property(fc.nat(), fc.nat(), (position, change) => {
        expect(verify({ headers, body: withOtherByte(body, position, change) })).toEqual({
          ok: false,
          reason: 'bad-signature',
        })
      }),
    )
  })

  it('any other signed time is refused, also inside the window', () => {
    fc.assert(
      fc.property(fc.integer({ min: -300, max: 300 }), (offset) => {
        fc.pre(offset !== 0)
        expect(withHeader(HEADER.replace(/^t=\d+/, `t=${NOW_SECONDS + offset}`))).toMatchObject({ ok: false })
      }),
    )
  })

  it('any header and body are answered, and none is accepted', () => {
    const headers = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant(HEADER))
    fc.assert(
      fc.property(headers, fc.uint8Array(), (header, body) => {
        expect(verify(requestOf({ 'stripe-signature': header }, Buffer.from(body))).ok).toBe(false)
      }),
    )
  })
})

describe('the secret of a Stripe account', () => {
  it.each([
    ['not JSON', '(the whole text)', 'whsec_123456789'],
    ['no list', 'signingSecrets', '{}'],
    ['an empty list', 'signingSecrets', '{"signingSecrets":[]}'],
    ['an empty text', 'signingSecrets', '{"signingSecrets":[""]}'],
    ['a bare prefix', 'signingSecrets', '{"signingSecrets":["whsec_"]}'],
    ['a line break', 'signingSecrets', '{"signingSecrets":["whsec_123456789\\n"]}'],
    ['a number', 'signingSecrets', '{"signingSecrets":[123456789]}'],
    ['a name that nobody reads', '(another name)', '{"signingSecrets":["whsec_123456789"],"signingSecret":"x"}'],
    ['an empty API key', 'apiKey', '{"signingSecrets":["whsec_123456789"],"apiKey":""}'],
  ])('%s is refused by its field and without its value', (_what, field, secret) => {
    const read = () => stripeVerifier.readKeys(secret)

    expect(read).toThrow(KeyFormatError)
    expect(read).toThrow(expect.objectContaining({ field, code: 'KEY_FORMAT' }))
    expect(read).not.toThrow(/123456789/)
  })

  it('keys that are printed show no secret', () => {
    expect(inspect(KEYS, { depth: 9 })).not.toContain('their_own_library')
  })
})
