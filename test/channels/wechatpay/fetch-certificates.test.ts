import { createPublicKey, createVerify } from 'node:crypto'
import { expect, it } from 'vitest'
import { damage } from '../../../local/world/channels/protocol.ts'
import { fetchCertificates } from '../../../modules/channels/wechatpay/fetch-certificates.ts'
import { readKeysForFetch } from '../../../modules/channels/wechatpay/keys.ts'
import type { HttpResult } from '../../../modules/outgoing/http/send-request.ts'
import { aFailure, anAnswer, answering } from '../client-setup.ts'
import { aPlatform, listed, listSignedBy } from './listed-certificates.ts'
import { CLIENT_SECRET, PRIVATE_PEM, refusal } from './signed-answer.ts'
import { ACCOUNT, API_V3_KEY, SERIAL } from './signed-notice.ts'

const NEW = aPlatform()
const OLD = aPlatform()
const LATER = aPlatform({ fromDays: 1, toDays: 30 })
const OVER = aPlatform({ fromDays: -30, toDays: -1 })
const PUBLIC = { serial: SERIAL, privateKey: PRIVATE_PEM }
const FIRST = JSON.stringify({ ...JSON.parse(CLIENT_SECRET), platformKeys: {} })

const fetchWith = (secret: string, ...answers: readonly HttpResult[]) =>
  fetchCertificates(ACCOUNT, readKeysForFetch(secret), answering(...answers))
const serialsOf = (result: Awaited<ReturnType<typeof fetchWith>>) =>
  result.kind === 'fetched' ? result.certificates.map(({ serial }) => serial) : result.outcome
const failure = (code: string) => ({ kind: 'failed', outcome: expect.objectContaining({ code }) })
const withOtherCiphertext = (item: ReturnType<typeof listed>) => ({
  ...item,
  encrypt_certificate: {
    ...item.encrypt_certificate,
    ciphertext: damage(item.encrypt_certificate.ciphertext),
  },
})

it('the first fetch is vouched for by the APIv3 key, and its answer by a certificate that it brings', async () => {
  const result = await fetchWith(FIRST, listSignedBy(NEW, listed(NEW)))

  expect(result).toMatchObject({ kind: 'fetched', certificates: [{ serial: NEW.serial, pem: NEW.pem }] })
})

it('the request is a signed GET that asks for the public key by its id where there is one', async () => {
  const deps = answering(listSignedBy(PUBLIC, listed(NEW)))

  await fetchCertificates(ACCOUNT, readKeysForFetch(CLIENT_SECRET), deps)

  const [request] = deps.sent
  expect(request).toMatchObject({ method: 'GET', headers: { 'wechatpay-serial': SERIAL } })
  expect(request?.url.href).toBe('https://api.mch.weixin.qq.com/v3/certificates')
  const [, signature = '', timestamp] =
    /signature="([^"]+)",timestamp="(\d+)"/.exec(request?.headers['authorization'] ?? '') ?? []
  const verifier = createVerify('RSA-SHA256').update(`GET\n/v3/certificates\n${timestamp}\n0NCE0\n\n`)
  expect(verifier.verify(createPublicKey(PRIVATE_PEM), signature, 'base64')).toBe(true)
})

it('while certificates change both are listed, also one that begins later; one that is over is left out', async () => {
  const result = await fetchWith(
    CLIENT_SECRET,
    listSignedBy(PUBLIC, listed(OLD), listed(NEW), listed(LATER), listed(OVER)),
  )

  expect(serialsOf(result)).toEqual([OLD.serial, NEW.serial, LATER.serial])
})

it('content under the previous APIv3 key is opened, too', async () => {
  const secret = JSON.stringify({ ...JSON.parse(FIRST), apiV3Keys: ['x'.repeat(32), API_V3_KEY] })

  expect(serialsOf(await fetchWith(secret, listSignedBy(NEW, listed(NEW))))).toEqual([NEW.serial])
})

it.each([
  ['by nobody that we know', listSignedBy(OLD, listed(NEW))],
  ['by a stranger under the name of the certificate', listSignedBy({ ...NEW, privateKey: PRIVATE_PEM }, listed(NEW))],
  ['by a certificate that is over', listSignedBy(OVER, listed(OVER), listed(NEW))],
  ['by one that has not begun', listSignedBy(LATER, listed(LATER))],
  ['by a stranger whose own certificate is sealed with another key', listSignedBy(NEW, listed(NEW, 'x'.repeat(32)))],
  [
    'by a certificate among others of which one is altered',
    listSignedBy(NEW, listed(NEW), withOtherCiphertext(listed(OLD))),
  ],
  ['by nobody at all', anAnswer(200, JSON.stringify({ data: [listed(NEW)] }))],
])('an answer signed %s is refused', async (_what, answer) => {
  expect(await fetchWith(FIRST, answer)).toEqual(failure('ANSWER_NOT_SIGNED'))
})

it.each([
  ['altered ciphertext', withOtherCiphertext(listed(NEW))],
  ['another serial beside it', listed({ ...NEW, serial: OLD.serial })],
  ['a key that is too short', listed(aPlatform({ bits: 1024 }))],
  [
    'a bare public key in the place of a certificate',
    listed({ ...NEW, pem: createPublicKey(NEW.privateKey).export({ format: 'pem', type: 'spki' }).toString() }),
  ],
])('one certificate with %s has the whole answer refused, though it is signed', async (_what, item) => {
  expect(await fetchWith(CLIENT_SECRET, listSignedBy(PUBLIC, listed(OLD), item))).toEqual(
    failure('CERTIFICATE_NOT_GENUINE'),
  )
})

it('a list with nothing valid in it is a failure and empties nothing', async () => {
  expect(await fetchWith(CLIENT_SECRET, listSignedBy(PUBLIC))).toEqual(failure('NO_VALID_CERTIFICATE'))
  expect(await fetchWith(CLIENT_SECRET, listSignedBy(PUBLIC, listed(OVER)))).toEqual(failure('NO_VALID_CERTIFICATE'))
})

it('a probe is asked again, once, and a second one is no answer', async () => {
  const genuine = listSignedBy(PUBLIC, listed(NEW))
  const probe = anAnswer(200, '{"data":[]}', { 'wechatpay-signature': 'WECHATPAY/SIGNTEST/abcdef' })

  expect(serialsOf(await fetchWith(CLIENT_SECRET, probe, genuine))).toEqual([NEW.serial])
  expect(await fetchWith(CLIENT_SECRET, probe, probe)).toEqual(failure('ANSWER_NOT_SIGNED'))
})

it('403 and 404 mean that there is none; anything else is a failure', async () => {
  expect(await fetchWith(CLIENT_SECRET, refusal(404, 'RESOURCE_NOT_EXISTS'))).toMatchObject({ kind: 'none issued' })
  expect(await fetchWith(CLIENT_SECRET, refusal(403, 'NO_AUTH'))).toMatchObject({ kind: 'none issued' })
  expect(await fetchWith(CLIENT_SECRET, refusal(401, 'SIGN_ERROR'))).toEqual(failure('SIGN_ERROR'))
  expect(await fetchWith(CLIENT_SECRET, refusal(500, 'SYSTEM_ERROR'))).toEqual(failure('SYSTEM_ERROR'))
  expect(await fetchWith(CLIENT_SECRET, aFailure('timeout'))).toMatchObject({
    kind: 'failed',
    outcome: { networkErrorType: 'timeout' },
  })
})
