import { generateKeyPairSync, sign as signEd25519 } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KeyFormatError } from '../../../modules/channels/errors.ts'
import { standardWebhooksVerifier } from '../../../modules/channels/standard-webhooks/verify.ts'
import { NOW_SECONDS, requestOf, withOtherByte } from '../message-setup.ts'
import { ACCOUNT, aMessage, KEYS, SECRET, sign, verify } from './signed-webhook.ts'

const PAYLOAD = aMessage('paid')
const SIGNED = sign(PAYLOAD)
const SIGNATURE = SIGNED.headers['webhook-signature'] ?? ''
const withHeaders = (change: Readonly<Record<string, string>>) =>
  verify(requestOf({ ...SIGNED.headers, ...change }, PAYLOAD))

describe('who may speak as a Standard Webhooks sender', () => {
  it('what the reference library signs is accepted, and its id is kept for the parser', () => {
    expect(verify(SIGNED)).toMatchObject({
      ok: true,
      verified: { keyId: 'v1-0', headers: { 'webhook-id': 'msg_1', 'webhook-signature': SIGNATURE } },
    })
  })

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('without %s it is refused', (name) => {
    const { [name]: _left, ...headers } = SIGNED.headers

    expect(verify(requestOf(headers, PAYLOAD))).toEqual({ ok: false, reason: 'missing-header' })
  })

  it('one good signature in the documented list is enough, whatever stands beside it', () => {
    expect(withHeaders({ 'webhook-signature': `v1,AAAA v2,x ${SIGNATURE} v1a,BBBB` })).toMatchObject({ ok: true })
  })

  it('two signature headers joined by a comma are malformed, never a rotation', () => {
    const bad = `v1,${Buffer.alloc(32).toString('base64')}`

    for (const joined of [
      `${bad},${SIGNATURE}`,
      `${bad}, ${SIGNATURE}`,
      `${SIGNATURE},${bad}`,
      `${SIGNATURE}, ${bad}`,
    ]) {
      expect(withHeaders({ 'webhook-signature': joined })).toEqual({ ok: false, reason: 'malformed' })
    }
  })

  it('an id with a dot is malformed, since time and id could trade places', () => {
    expect(verify(sign(PAYLOAD, NOW_SECONDS, 'msg.1'))).toEqual({ ok: false, reason: 'malformed' })
  })

  it.each([-300, 300])('a time %i s from now is inside the window', (offset) => {
    expect(verify(sign(PAYLOAD, NOW_SECONDS + offset))).toMatchObject({ ok: true })
  })

  it.each([-301, 301])('a time %i s from now is outside', (offset) => {
    expect(verify(sign(PAYLOAD, NOW_SECONDS + offset))).toEqual({ ok: false, reason: 'out-of-tolerance' })
  })

  it.each(['NaN', '', '1e30', `${NOW_SECONDS}abc`])('a time of %j is malformed', (time) => {
    expect(withHeaders({ 'webhook-timestamp': time })).toEqual({ ok: false, reason: 'malformed' })
  })

  it('odd spacing, a name twice and a last newline are verified as received', () => {
    const odd = '{ "type" : "paid", "data": {}, "data" : {"x":"\\/"} }\n'

    expect(verify(sign(odd))).toMatchObject({ ok: true, verified: { body: Buffer.from(odd) } })
  })

  it('the answers are exact and tell nothing', () => {
    expect(standardWebhooksVerifier.ack).toEqual({ status: 200, headers: {}, body: '' })
    expect(standardWebhooksVerifier.refusal).toEqual({ status: 400, headers: {}, body: '' })
  })
})

describe('an ed25519 sender', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const keys = standardWebhooksVerifier.readKeys(
    JSON.stringify({ secrets: [SECRET], publicKeys: [`whpk_${raw.toString('base64')}`] }),
  )
  const account = { ...ACCOUNT, scheme: 'v1a' } as const
  const signature = signEd25519(null, Buffer.from(`msg_1.${NOW_SECONDS}.${PAYLOAD}`), privateKey).toString('base64')
  const withSignature = (text: string) =>
    requestOf({ 'webhook-id': 'msg_1', 'webhook-timestamp': String(NOW_SECONDS), 'webhook-signature': text }, PAYLOAD)

  it('is accepted under v1a only', () => {
    expect(verify(withSignature(`v1a,${signature}`), account, keys)).toMatchObject({ verified: { keyId: 'v1a-0' } })
    expect(verify(withSignature(`v1,${signature}`), account, keys)).toEqual({ ok: false, reason: 'bad-signature' })
  })

  it('cannot be stood in for by an HMAC under either name, though its key is configured', () => {
    expect(verify(withSignature(SIGNATURE), account, keys)).toEqual({ ok: false, reason: 'bad-signature' })
    expect(verify(withSignature(SIGNATURE.replace('v1,', 'v1a,')), account, keys)).toMatchObject({ ok: false })
  })

  it('without a key of its scheme is refused', () => {
    expect(verify(withSignature(`v1a,${signature}`), account, KEYS)).toEqual({ ok: false, reason: 'unknown-key' })
  })
})

describe('forgeries that nobody thought of', () => {
  it('any other byte in the body is refused', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (position, change) => {
        const request = { headers: SIGNED.headers, body: withOtherByte(SIGNED.body, position, change) }
        expect(verify(request)).toEqual({ ok: false, reason: 'bad-signature' })
      }),
    )
  })

  it('any other id, time or signature is refused', () => {
    const name = fc.constantFrom('webhook-id', 'webhook-timestamp', 'webhook-signature')
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.integer().map(String), fc.base64String())
    fc.assert(
      fc.property(name, text, fc.boolean(), (header, value, isList) => {
        const changed = isList && header === 'webhook-signature' ? `v1,${value}` : value
        fc.pre(changed !== SIGNED.headers[header])
        expect(withHeaders({ [header]: changed }).ok).toBe(false)
      }),
    )
  })
})

describe('the secret of a Standard Webhooks sender', () => {
  it.each([
    ['an empty list', 'secrets', '{"secrets":[]}'],
    ['no list', 'secrets', '{}'],
    ['no base64', 'secrets', '{"secrets":["whsec_not-base64-at-all-0123456789"]}'],
    ['23 bytes', 'secrets', JSON.stringify({ secrets: [`whsec_${Buffer.alloc(23).toString('base64')}`] })],
    ['65 bytes', 'secrets', JSON.stringify({ secrets: [`whsec_${Buffer.alloc(65).toString('base64')}`] })],
    ['a short public key', 'publicKeys', '{"secrets":[],"publicKeys":["whpk_AAAA"]}'],
  ])('%s is refused by its field', (_what, field, secret) => {
    const read = () => standardWebhooksVerifier.readKeys(secret)

    expect(read).toThrow(KeyFormatError)
    expect(read).toThrow(expect.objectContaining({ field }))
  })
})
