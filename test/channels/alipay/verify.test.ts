import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeForm, parseForm } from '../../../modules/channels/alipay/form.ts'
import { alipayVerifier } from '../../../modules/channels/alipay/verify.ts'
import { KeyFormatError } from '../../../modules/channels/errors.ts'
import { eventOf, NOW, requestOf, withOtherByte } from '../message-setup.ts'
import { readVectors } from '../vector-cases.ts'
import { ACCOUNT, encode, KEYS, PAIR, PAYMENT, PUBLIC_PEM, parse, signForm, verify } from './signed-notice.ts'

const SIGNED = signForm(PAYMENT)
const FORM = encode(SIGNED)

describe('who may speak for Alipay', () => {
  it('a notice by the described rule is accepted, and the key that matched is told', () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'pem', type: 'spki' })
    const keys = alipayVerifier.readKeys(JSON.stringify({ alipayPublicKeys: [other, PUBLIC_PEM] }))

    expect(alipayVerifier.verify(FORM, ACCOUNT, keys, NOW)).toMatchObject({ ok: true, verified: { keyId: '1' } })
  })

  it('a public key as PEM and as the bare base64 of the platform are one', () => {
    const bare = PAIR.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
    const keys = alipayVerifier.readKeys(JSON.stringify({ alipayPublicKeys: [bare] }))

    expect(alipayVerifier.verify(FORM, ACCOUNT, keys, NOW)).toMatchObject({ ok: true })
  })

  it('without a signature, or under another sign_type, it is refused whatever its value', () => {
    const { sign: _sign, ...unsigned } = SIGNED

    expect(verify(encode(unsigned))).toEqual({ ok: false, reason: 'missing-header' })
    for (const sign_type of ['RSA', 'rsa2', '']) {
      expect(verify(encode({ ...signForm(PAYMENT, 'RSA-SHA1'), sign_type }))).toEqual({
        ok: false,
        reason: 'not-allowed',
      })
    }
  })

  it('a signature that was damaged on the way is refused at once and never repaired', () => {
    const sign = SIGNED['sign'] ?? ''
    const damaged = [
      sign.replaceAll('+', ' ').replaceAll('/', ' '),
      sign.slice(0, -1),
      sign.slice(1),
      `${sign}\n`,
      sign.replace(/(.{64})/g, '$1\n'),
      ` ${sign}`,
      'A'.repeat(100_000),
      '',
      '====',
    ]

    for (const value of damaged) expect(verify(encode({ ...SIGNED, sign: value })).ok).toBe(false)
  })

  it('a genuine payment of another merchant is not ours', () => {
    expect(verify(encode(signForm({ ...PAYMENT, seller_id: '2088000000009999' })))).toEqual({
      ok: false,
      reason: 'not-ours',
    })
    expect(verify(encode(signForm({ ...PAYMENT, app_id: '2026000100019999' })))).toEqual({
      ok: false,
      reason: 'not-ours',
    })
    const { seller_id: _seller, ...anonymous } = PAYMENT
    expect(verify(encode(signForm(anonymous)))).toEqual({ ok: false, reason: 'not-ours' })
  })

  it('a notice of the sandbox application is refused at the edge', () => {
    expect(verify(encode(signForm({ ...PAYMENT, app_id: '9021000100010001' })))).toEqual({
      ok: false,
      reason: 'not-ours',
    })
  })

  it('the signed parameters of the buyer’s return to the shop are no notice', () => {
    const { notify_id: _id, ...browserReturn } = PAYMENT

    expect(verify(encode(signForm(browserReturn)))).toEqual({ ok: false, reason: 'not-allowed' })
  })

  it('an empty parameter that was added means nothing', () => {
    const added = encode({ ...SIGNED, refund_fee: '', out_biz_no: '', gmt_refund: '' })

    expect(verify(added)).toMatchObject({ ok: true })
    expect(eventOf(parse({ ...PAYMENT, refund_fee: '', out_biz_no: '' }))).toEqual(eventOf(parse(PAYMENT)))
  })

  it('a wrong signature tells the certificate that the notice names, if it has the form of one', () => {
    const told = (alipay_cert_sn: string) => verify(encode({ ...SIGNED, alipay_cert_sn }))

    expect(told('a1'.repeat(16))).toEqual({ ok: false, reason: 'bad-signature', keyName: 'a1'.repeat(16) })
    expect(told('a1'.repeat(17))).toEqual({ ok: false, reason: 'bad-signature' })
    expect(told('\n{"level":"ERROR"}')).toEqual({ ok: false, reason: 'bad-signature' })
  })

  it.each(['a=1&a=1', '', '&', 'a=%', 'a=%zz', '=1', 'a b=1', 'a&&b=1'])('the body %j is malformed', (body) => {
    expect(verify(requestOf({}, body))).toEqual({ ok: false, reason: 'malformed' })
  })

  it('the answers are the bare words, to the byte', () => {
    expect(Buffer.from(alipayVerifier.ack.body).toString('hex')).toBe('73756363657373')
    expect(alipayVerifier.ack).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain' } })
    expect(alipayVerifier.refusal).toMatchObject({ status: 400, body: 'fail' })
  })
})

describe('the form', () => {
  it.each(readVectors('alipay').cases.filter((vector) => vector.expect.decoded !== undefined))(
    'decodes once, in its own charset: $id',
    (vector) => {
      const form = parseForm(Buffer.from(vector.request.body)) ?? expect.unreachable()

      expect(Object.fromEntries(decodeForm(form) ?? [])).toMatchObject(vector.expect.decoded ?? {})
    },
  )

  it('trims nothing, not even a byte-order mark', () => {
    const form = parseForm(encode({ subject: '\ufeff x ' }).body) ?? expect.unreachable()

    expect(decodeForm(form)?.get('subject')).toBe('\ufeff x ')
  })

  it('reads any parameters as the platform’s own form parser does', () => {
    const name = fc.stringMatching(/^[0-9A-Za-z_.-]{1,20}$/)
    fc.assert(
      fc.property(fc.dictionary(name, fc.string({ unit: 'grapheme', minLength: 1 }), { minKeys: 1 }), (parameters) => {
        fc.pre(!Object.hasOwn(parameters, 'charset'))
        const form = parseForm(Buffer.from(new URLSearchParams(parameters).toString())) ?? expect.unreachable()
        expect(Object.fromEntries(decodeForm(form) ?? [])).toEqual(parameters)
      }),
    )
  })
})

describe('forgeries that nobody thought of', () => {
  it('another byte in the body is refused, unless the form says the very same', () => {
    const genuine = parseForm(FORM.body)
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (position, change) => {
        const body = withOtherByte(FORM.body, position, change)
        // `%2b` is `%2B`, and a plus is `%20`: such a body is the same message.
        if (verify({ headers: {}, body }).ok) expect(parseForm(body)).toEqual(genuine)
      }),
      { numRuns: 500 },
    )
  })

  it('another value of any signed parameter is refused', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(PAYMENT)), fc.string({ unit: 'binary' }), (name, value) => {
        fc.pre(value !== PAYMENT[name])
        expect(verify(encode({ ...SIGNED, [name]: value })).ok).toBe(false)
      }),
    )
  })

  it('any parameter that is added and not empty is refused', () => {
    const name = fc.stringMatching(/^[0-9A-Za-z_.-]{1,20}$/)
    fc.assert(
      fc.property(name, fc.string({ minLength: 1 }), (added, value) => {
        fc.pre(!Object.hasOwn(SIGNED, added))
        expect(verify(encode({ ...SIGNED, [added]: value })).ok).toBe(false)
      }),
    )
  })

  it('any bytes are answered', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (body) => {
        expect(verify(requestOf({}, Buffer.from(body))).ok).toBe(false)
      }),
    )
  })
})

describe('the secret of an Alipay account', () => {
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'pem', type: 'spki' })
  const privatePem = PAIR.privateKey.export({ format: 'pem', type: 'pkcs8' })

  it.each([
    ['an empty list', 'alipayPublicKeys', { alipayPublicKeys: [] }],
    ['no list', 'alipayPublicKeys', {}],
    ['text that is no key', 'alipayPublicKeys', { alipayPublicKeys: ['MIIBIjAN'] }],
    ['a private key in place of a public one', 'alipayPublicKeys', { alipayPublicKeys: [privatePem] }],
    ['an RSA key of 1024 bits', 'alipayPublicKeys', { alipayPublicKeys: [small] }],
    ['a public key as our private one', 'appPrivateKey', { alipayPublicKeys: [PUBLIC_PEM], appPrivateKey: PUBLIC_PEM }],
  ])('%s is refused by its field', (_what, field, secret) => {
    const read = () => alipayVerifier.readKeys(JSON.stringify(secret))

    expect(read).toThrow(KeyFormatError)
    expect(read).toThrow(expect.objectContaining({ field }))
  })

  it.each(['pkcs8', 'pkcs1'] as const)('our private key is read as PEM and as bare base64 (%s)', (type) => {
    const pem = PAIR.privateKey.export({ format: 'pem', type }).toString()
    const bare = PAIR.privateKey.export({ format: 'der', type }).toString('base64')

    for (const appPrivateKey of [pem, bare]) {
      const keys = alipayVerifier.readKeys(JSON.stringify({ alipayPublicKeys: [PUBLIC_PEM], appPrivateKey }))
      expect(keys.appPrivateKey?.equals(PAIR.privateKey)).toBe(true)
    }
    expect(KEYS.appPrivateKey).toBeUndefined()
  })
})
