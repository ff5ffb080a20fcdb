import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KeyFormatError } from '../../../modules/channels/errors.ts'
import { wechatpayVerifier } from '../../../modules/channels/wechatpay/verify.ts'
import { NOW_SECONDS, requestOf, withOtherByte } from '../message-setup.ts'
import { readVectors, receivedAtOf, requestsOf } from '../vector-cases.ts'
import {
  ACCOUNT,
  API_V3_KEY,
  aNotice,
  KEYS,
  PUBLIC_PEM,
  REFUND,
  SECRET,
  SERIAL,
  seal,
  sign,
  TRANSACTION,
  verify,
} from './signed-notice.ts'

const BODY = aNotice('TRANSACTION.SUCCESS', TRANSACTION)
const SIGNED = sign(BODY)
const withHeaders = (change: Readonly<Record<string, string>>) =>
  verify(requestOf({ ...SIGNED.headers, ...change }, BODY))

describe('who may speak for WeChat Pay', () => {
  it('a notice by the described rule is accepted, and its serial is told', () => {
    expect(verify(SIGNED)).toMatchObject({ ok: true, verified: { keyId: SERIAL } })
  })

  it.each(['wechatpay-timestamp', 'wechatpay-nonce', 'wechatpay-serial', 'wechatpay-signature'])(
    'without %s it is refused',
    (name) => {
      const { [name]: _left, ...headers } = SIGNED.headers

      expect(verify(requestOf(headers, BODY))).toEqual({ ok: false, reason: 'missing-header' })
    },
  )

  it.each(['wechatpay-timestamp', 'wechatpay-nonce', 'wechatpay-serial', 'wechatpay-signature'])(
    'with %s twice it is malformed, even when both are good',
    (name) => {
      const good = SIGNED.headers[name] ?? ''

      expect(withHeaders({ [name]: `${good},${good}` })).toEqual({ ok: false, reason: 'malformed' })
      expect(withHeaders({ [name]: `${good}, other` })).toEqual({ ok: false, reason: 'malformed' })
    },
  )

  it('content that decrypts proves nothing about the headers', () => {
    expect(withHeaders({ 'wechatpay-timestamp': String(NOW_SECONDS - 400) }).ok).toBe(false)
    expect(withHeaders({ 'wechatpay-nonce': 'N0NCF' })).toMatchObject({ ok: false, reason: 'bad-signature' })
    expect(verify(sign(BODY, NOW_SECONDS - 400))).toEqual({ ok: false, reason: 'out-of-tolerance' })
  })

  it('the serial alone chooses the key: a good key under another name is unknown', () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'pem', type: 'spki' })
    const keys = wechatpayVerifier.readKeys(
      JSON.stringify({ ...SECRET, platformKeys: { PUB_KEY_ID_A: other, PUB_KEY_ID_B: PUBLIC_PEM } }),
    )
    const from = (serial: string) => requestOf({ ...SIGNED.headers, 'wechatpay-serial': serial }, BODY)

    // The serial is told, so that a rotation can be seen.
    expect(verify(SIGNED, ACCOUNT, keys)).toEqual({ ok: false, reason: 'unknown-key', keyName: SERIAL })
    expect(verify(from('PUB_KEY_ID_A'), ACCOUNT, keys)).toEqual({
      ok: false,
      reason: 'bad-signature',
      keyName: 'PUB_KEY_ID_A',
    })
    expect(verify(from('PUB_KEY_ID_B'), ACCOUNT, keys)).toMatchObject({ ok: true })
    expect(verify(from('__proto__'), ACCOUNT, keys)).toMatchObject({ ok: false, reason: 'unknown-key' })
  })

  it('a probe is refused and marked, so that nobody is woken by it', () => {
    const probe = `WECHATPAY/SIGNTEST/${SIGNED.headers['wechatpay-signature']}`

    expect(withHeaders({ 'wechatpay-signature': probe })).toEqual({ ok: false, reason: 'bad-signature', probe: true })
  })

  it('another algorithm is not allowed, in the headers or for the content', () => {
    const sm2 = JSON.stringify({ resource: { ...seal('{}'), algorithm: 'AEAD_SM4_GCM' } })

    expect(withHeaders({ 'wechatpay-signature-type': 'WECHATPAY2-SM2-WITH-SM3' })).toMatchObject({
      reason: 'not-allowed',
    })
    expect(verify(sign(sm2))).toEqual({ ok: false, reason: 'not-allowed' })
  })

  it('an XML notice of the old API is not allowed', () => {
    expect(verify(requestOf({}, '\n<xml></xml>'))).toEqual({ ok: false, reason: 'not-allowed' })
  })

  it('a genuine payment of another merchant or application is not ours', () => {
    const of = (change: object) => verify(sign(aNotice('TRANSACTION.SUCCESS', { ...TRANSACTION, ...change })))

    for (const change of [{ mchid: '1900000002' }, { mchid: undefined }, { appid: 'wx2' }, { appid: undefined }]) {
      expect(of(change)).toMatchObject({ ok: false, reason: 'not-ours' })
    }
  })

  it.each([
    [
      'a service provider',
      { sp_mchid: ACCOUNT.mchId, sub_mchid: '1900000002', mchid: undefined },
      'SERVICE_PROVIDER_ORDER',
    ],
    ['a service provider, ours beside it', { sub_mchid: '1900000002' }, 'SERVICE_PROVIDER_ORDER'],
    [
      'a combined order',
      { combine_mchid: ACCOUNT.mchId, combine_out_trade_no: 'C1', sub_orders: [] },
      'COMBINED_ORDER',
    ],
    ['another merchant', { mchid: '1900000002' }, 'MERCHANT'],
    ['another application', { appid: 'wx2' }, 'APP'],
  ])('a notice of %s says what it is that is not taken', (_what, change, code) => {
    const notice = sign(aNotice('TRANSACTION.SUCCESS', { ...TRANSACTION, ...change }))

    expect(verify(notice)).toEqual({ ok: false, reason: 'not-ours', code })
  })

  it.each(['COUPON.USE', 'MALL_TRANSACTION.SUCCESS', 'BRAND.NEW'])(
    '%s names its merchant elsewhere, and is taken',
    (type) => {
      expect(verify(sign(aNotice(type, { mchid: '1900000002', out: 'of another product' })))).toMatchObject({
        ok: true,
      })
    },
  )

  it('a refund notice needs no application, but never another one', () => {
    expect(verify(sign(aNotice('REFUND.SUCCESS', REFUND)))).toMatchObject({ ok: true })
    expect(verify(sign(aNotice('REFUND.SUCCESS', { ...REFUND, appid: 'wx2' })))).toMatchObject({ reason: 'not-ours' })
    expect(verify(sign(aNotice('REFUND.SUCCESS', { ...REFUND, mchid: '2' })))).toMatchObject({ reason: 'not-ours' })
  })

  it('content under the APIv3 key before a reset is still opened', () => {
    const old = 'TheKeyBeforeTheReset012345678901'
    const request = sign(aNotice('TRANSACTION.SUCCESS', TRANSACTION, old))
    const both = wechatpayVerifier.readKeys(JSON.stringify({ ...SECRET, apiV3Keys: [API_V3_KEY, old] }))

    expect(verify(request)).toEqual({ ok: false, reason: 'undecryptable' })
    expect(verify(request, ACCOUNT, both)).toMatchObject({ ok: true })
  })

  it.each(['[]', 'x', '{}', '{"resource":{"algorithm":"AEAD_AES_256_GCM","nonce":1,"ciphertext":""}}'])(
    'a signed body without content, %s, is malformed',
    (body) => {
      expect(verify(sign(body))).toEqual({ ok: false, reason: 'malformed' })
    },
  )

  it.each([-300, -299, 299, 300])('a time %i s from now is inside the window', (offset) => {
    expect(verify(sign(BODY, NOW_SECONDS + offset))).toMatchObject({ ok: true })
  })

  it.each([-301, 301])('a time %i s from now is outside', (offset) => {
    expect(verify(sign(BODY, NOW_SECONDS + offset))).toEqual({ ok: false, reason: 'out-of-tolerance' })
  })

  it.each(['NaN', '', '1e30'])('a time of %j is malformed', (time) => {
    expect(withHeaders({ 'wechatpay-timestamp': time })).toEqual({ ok: false, reason: 'malformed' })
  })

  it('odd spacing, escapes, a name twice and a last newline are verified as received', () => {
    const odd = `{ "x":"\\/\\u652f", "id":"EV-0", "id" : "EV-1",\n"resource":${JSON.stringify(seal(JSON.stringify(TRANSACTION)))}}\n`

    expect(verify(sign(odd))).toMatchObject({ ok: true, verified: { body: Buffer.from(odd) } })
  })

  it('the answers are exact, and the refusal tells no reason', () => {
    expect(wechatpayVerifier.ack).toEqual({ status: 200, headers: {}, body: '' })
    expect(wechatpayVerifier.refusal).toMatchObject({ status: 401, body: '{"code":"FAIL","message":"失败"}' })
  })

  it('the published notice of their Go library has a valid signature; its APIv3 key of 16 characters is no key', () => {
    const vector = readVectors('wechatpay').cases.find(({ id }) => id === 'wechat-published-go-notify')
    const [, request] = requestsOf(vector ?? expect.unreachable())[0] ?? expect.unreachable()
    const platformKeys = vector?.config_override?.['keys']
    const readKeys = (apiV3Key: unknown) =>
      wechatpayVerifier.readKeys(JSON.stringify({ apiV3Keys: [apiV3Key], platformKeys }))

    const verification = wechatpayVerifier.verify(
      request,
      ACCOUNT,
      readKeys(API_V3_KEY),
      receivedAtOf(vector ?? expect.unreachable()),
    )

    expect(verification).toEqual({ ok: false, reason: 'undecryptable' })
    expect(() => readKeys(vector?.config_override?.['apiv3_key'])).toThrow(KeyFormatError)
  })
})

describe('forgeries that nobody thought of', () => {
  it('any other byte in the body is refused', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (position, change) => {
        const request = { headers: SIGNED.headers, body: withOtherByte(SIGNED.body, position, change) }
        expect(verify(request)).toEqual({ ok: false, reason: 'bad-signature', keyName: SERIAL })
      }),
    )
  })

  it('any other time, nonce, serial or signature is refused', () => {
    const name = fc.constantFrom('wechatpay-timestamp', 'wechatpay-nonce', 'wechatpay-serial', 'wechatpay-signature')
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.integer().map(String), fc.base64String())
    fc.assert(
      fc.property(name, text, (header, value) => {
        fc.pre(value !== SIGNED.headers[header])
        expect(withHeaders({ [header]: value }).ok).toBe(false)
      }),
    )
  })

  it('text that moves between nonce and body is refused', () => {
    const nonce = `N0NCE\n${BODY.slice(0, 10)}`
    const moved = requestOf({ ...SIGNED.headers, 'wechatpay-nonce': nonce }, BODY.slice(10))

    expect(verify(moved)).toEqual({ ok: false, reason: 'malformed' })
  })

  it('any signed body is answered, and none without content of ours is accepted', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.record({ resource: fc.jsonValue() })), (body) => {
        expect(verify(sign(JSON.stringify(body))).ok).toBe(false)
      }),
      { numRuns: 50 },
    )
  })
})

describe('the secret of a WeChat Pay account', () => {
  const certificate = Object.values(readVectors('wechatpay').config['keys'] ?? {}).at(1)

  it.each([
    ['no APIv3 key', 'apiV3Keys', { ...SECRET, apiV3Keys: [] }],
    ['an APIv3 key of 31 characters', 'apiV3Keys', { ...SECRET, apiV3Keys: [API_V3_KEY.slice(1)] }],
    ['no platform key', 'platformKeys', { ...SECRET, platformKeys: {} }],
    ['a list of platform keys', 'platformKeys', { ...SECRET, platformKeys: [PUBLIC_PEM] }],
    ['text that is no key', 'platformKeys.A', { ...SECRET, platformKeys: { A: 'x' } }],
    ['a certificate under another serial', 'platformKeys.7777', { ...SECRET, platformKeys: { 7777: certificate } }],
    ['a public key as the merchant’s own', 'merchantPrivateKey', { ...SECRET, merchantPrivateKey: PUBLIC_PEM }],
  ])('%s is refused by its field', (_what, field, secret) => {
    const read = () => wechatpayVerifier.readKeys(JSON.stringify(secret))

    expect(read).toThrow(KeyFormatError)
    expect(read).toThrow(expect.objectContaining({ field }))
  })

  it('serials are kept as they are written', () => {
    expect([...KEYS.platformKeys.keys()]).toEqual([SERIAL])
  })
})
