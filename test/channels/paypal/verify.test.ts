import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readPaypalKeys } from '../../../modules/channels/paypal/keys.ts'
import { verifierOf } from '../../../modules/channels/verifiers.ts'
import { aFailure, anAnswer, NOW_MS } from '../client-setup.ts'
import { NOW, requestOf, withOtherByte } from '../message-setup.ts'
import { readVectors } from '../vector-cases.ts'
import { ACCOUNT, anEvent, CERTIFICATE_URL, LEAF, signEvent, verify } from './signed-event.ts'

const BODY = anEvent('PAYMENT.CAPTURE.COMPLETED')

it('a signed event is taken, with the headers that prove it', async () => {
  expect(await verify(signEvent(BODY))).toMatchObject({
    ok: true,
    verified: { keyId: 'CERT-1', headers: { 'paypal-transmission-id': 'TRANSMISSION-1' } },
  })
})

it.each(readVectors('paypal').crc32 ?? expect.unreachable())('the platform’s CRC-32 of $text is $crc32', (vector) => {
  expect(crc32(vector.text)).toBe(vector.crc32)
})

it('without the certificate nothing is taken, and with it everything is, for which it is asked once', async () => {
  let isUp = false
  let asked = 0
  const clock = { nowMs: NOW_MS }
  const http = async () => {
    asked += 1
    return isUp ? anAnswer(200, LEAF.pem) : aFailure('connect-timeout')
  }
  const verifier = verifierOf(ACCOUNT, { http, nowMs: () => clock.nowMs })
  const request = signEvent(BODY)
  const check = verifier.openKeys('{}')
  const receive = async () => {
    await verifier.prepare?.(request)
    return check(request, NOW)
  }

  expect(check(request, NOW)).toMatchObject({ ok: false, reason: 'unknown-key' })
  expect(await receive()).toMatchObject({ ok: false, reason: 'unknown-key' })
  isUp = true
  clock.nowMs += 60_000
  expect(await receive()).toMatchObject({ ok: true })
  expect(await receive()).toMatchObject({ ok: true })
  expect(asked).toBe(2)
})

it.each([
  ['PayPal’s time is three days old', '2026-10-30T02:00:00Z', true],
  ['it is a second more', '2026-10-30T01:59:59Z', false],
  ['it runs five minutes ahead', '2026-11-02T02:05:00Z', true],
  ['it runs a second more ahead', '2026-11-02T02:05:01Z', false],
])('when %s (%s), the event is taken: %s', async (_when, time, ok) => {
  const verification = await verify(signEvent(BODY, time))

  expect(verification).toMatchObject(ok ? { ok } : { ok, reason: 'out-of-tolerance' })
})

it.each([
  ['paypal-transmission-id', 'A|B', 'malformed'],
  ['paypal-transmission-id', 'A,B', 'malformed'],
  ['paypal-transmission-time', 'yesterday', 'malformed'],
  ['paypal-transmission-sig', 'AAAA,BBBB', 'malformed'],
  ['paypal-transmission-sig', 'AAAA', 'malformed'],
  ['paypal-auth-algo', 'SHA1withRSA', 'not-allowed'],
  ['paypal-cert-url', `${CERTIFICATE_URL}?`, 'not-allowed'],
])('%s: %s is refused as %s', async (name, value, reason) => {
  const request = signEvent(BODY)

  expect(await verify({ ...request, headers: { ...request.headers, [name]: value } })).toMatchObject({
    ok: false,
    reason,
  })
})

it.each(Object.keys(signEvent(BODY).headers))('an event without %s is refused', async (name) => {
  const { [name]: _, ...headers } = signEvent(BODY).headers

  expect(await verify(requestOf(headers, BODY))).toMatchObject({ ok: false, reason: 'missing-header' })
})

it('a payee that is named must be ours', async () => {
  const named = (merchant: string) =>
    signEvent(anEvent('PAYMENT.CAPTURE.COMPLETED', { payee: { merchant_id: merchant } }))
  const { merchantId: _, ...anyPayee } = ACCOUNT

  expect(await verify(named('MERCHANT1'))).toMatchObject({ ok: true })
  expect(await verify(named('MERCHANT2'))).toMatchObject({ ok: false, reason: 'not-ours' })
  expect(await verify(named('MERCHANT2'), anyPayee)).toMatchObject({ ok: true })
})

it('a secret with an unknown name is refused without showing it', () => {
  expect(() => readPaypalKeys('{"webhookId":"secret-text"}')).toThrow(
    expect.objectContaining({ name: 'KeyFormatError' }),
  )
  expect(() => readPaypalKeys('{"webhookId":"secret-text"}')).not.toThrow(/secret-text/)
})

it('whatever byte of the body is altered, the event is refused; no headers and bytes throw', async () => {
  const request = signEvent(BODY)
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat(), async (position, change) => {
      const body = withOtherByte(request.body, position, change)
      expect(await verify({ ...request, body })).toMatchObject({ ok: false, reason: 'bad-signature' })
    }),
    { numRuns: 30 },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.constantFrom(...Object.keys(request.headers)), fc.string()),
      fc.uint8Array(),
      async (headers, bytes) => {
        const verification = await verify(requestOf({ ...request.headers, ...headers }, Buffer.from(bytes)))
        expect(verification.ok).toBe(false)
      },
    ),
    { numRuns: 50 },
  )
})
