import { expect, it } from 'vitest'
import {
  KEEP_MS,
  MAX_FAILURES,
  MAX_FETCHES,
  openCertificateCache,
  REFETCH_MS,
} from '../../../modules/channels/paypal/certificate-cache.ts'
import { openRoots, readCertificates, trustedKeyOf } from '../../../modules/channels/paypal/certificate-chain.ts'
import { parseCertificateUrl } from '../../../modules/channels/paypal/certificate-url.ts'
import { instantOf } from '../../../modules/core/instant.ts'
import type { HttpResult } from '../../../modules/outgoing/http/send-request.ts'
import { aFailure, anAnswer, NOW_MS } from '../client-setup.ts'
import { NOW } from '../message-setup.ts'
import { readVectors } from '../vector-cases.ts'
import { ACCOUNT, CERTIFICATE_URL, LEAF, ROOT } from './signed-event.ts'
import { issueCertificate } from './test-certificate.ts'

it.each(readVectors('paypal').cert_urls ?? expect.unreachable())(
  'certificate address: $url',
  ({ url, allowed, note }) => {
    const isSandbox = note?.includes('sandbox') === true

    expect(parseCertificateUrl(url, { ...ACCOUNT, sandbox: isSandbox }) !== undefined).toBe(allowed)
    expect(parseCertificateUrl(url, { ...ACCOUNT, sandbox: !isSandbox })).toBeUndefined()
  },
)

it.each([
  'https://api.paypal.com/v1/notifications/certs/',
  'https://api.paypal.com/v1/notifications/certs/a/b',
  'https://api.paypal.com/v1/notifications/certs/..',
  'https://api.paypal.com/v1/notifications/certs/%2e%2e',
  'https://api.paypal.com/v1/notifications/certs/C?x',
  'https://api.paypal.com/v1/notifications/certs/C#x',
  'https://api.paypal.com/v1/notifications/certs/C\n',
  'https://api.paypal.com\\@attacker.invalid/v1/notifications/certs/C',
  'HTTPS://API.PAYPAL.COM/v1/notifications/certs/C',
  ' https://api.paypal.com/v1/notifications/certs/C',
])('%j is not fetched', (url) => {
  expect(parseCertificateUrl(url, ACCOUNT)).toBeUndefined()
})

it('behind a proxy the certificates that PayPal names are still its own, and of the same mode', () => {
  const account = { ...ACCOUNT, apiBase: 'https://egress.shop.example/paypal' }
  const sandboxUrl = 'https://api.sandbox.paypal.com/v1/notifications/certs/C'

  expect(parseCertificateUrl(CERTIFICATE_URL, account)?.href).toBe(CERTIFICATE_URL)
  expect(parseCertificateUrl(sandboxUrl, account)).toBeUndefined()
  expect(parseCertificateUrl(sandboxUrl, { ...account, sandbox: true })).toBeDefined()
})

it('an own API address adds that very origin and no other', () => {
  const account = { ...ACCOUNT, apiBase: 'http://127.0.0.1:8080/paypal' }

  expect(parseCertificateUrl('http://127.0.0.1:8080/v1/notifications/certs/C', account)).toBeDefined()
  expect(parseCertificateUrl('http://127.0.0.1:80800/v1/notifications/certs/C', account)).toBeUndefined()
  expect(parseCertificateUrl('http://127.0.0.1/v1/notifications/certs/C', account)).toBeUndefined()
})

const MIDDLE = issueCertificate({ name: 'middle', issuer: ROOT, ca: true })
const DEEP = issueCertificate({ name: 'deep', issuer: MIDDLE })
const STRANGER = issueCertificate({ name: ROOT.name, ca: true })
const NAMED_LIKE_ROOT = issueCertificate({ name: 'leaf', issuer: STRANGER })
const BY_A_LEAF = issueCertificate({ name: 'forged', issuer: LEAF })
const OLD = issueCertificate({ name: 'old', issuer: ROOT, to: '20261101000000Z' })
const FUTURE = issueCertificate({ name: 'future', issuer: ROOT, from: '20270101000000Z' })
const OLD_MIDDLE = issueCertificate({ name: 'old middle', issuer: ROOT, ca: true, to: '20261101000000Z' })
const UNDER_OLD = issueCertificate({ name: 'under old', issuer: OLD_MIDDLE })
const SHORT = issueCertificate({ name: 'short', issuer: ROOT, bits: 1024 })

it.each([
  ['issued by the root', [LEAF], true],
  ['issued by one that the root issued', [DEEP, MIDDLE], true],
  ['served with more than its chain', [DEEP, OLD, MIDDLE], true],
  ['served without the one between', [DEEP], false],
  ['issued by a stranger of the root’s name', [NAMED_LIKE_ROOT, STRANGER], false],
  ['issued by a certificate that may not issue', [BY_A_LEAF, LEAF], false],
  ['signed by itself', [STRANGER], false],
  ['over', [OLD], false],
  ['not yet good', [FUTURE], false],
  ['issued by one that is over', [UNDER_OLD, OLD_MIDDLE], false],
  ['of a short key', [SHORT], false],
  ['nothing', [], false],
])('a certificate that is %s: trusted %s', (_what, chain, trusted) => {
  const served = chain.map(({ x509 }) => x509)

  expect(trustedKeyOf(served, [ROOT.x509], NOW) !== undefined).toBe(trusted)
})

it('a root whose time is over vouches for nobody', () => {
  const oldRoot = issueCertificate({ name: 'old root', ca: true, to: '20261101000000Z' })
  const leaf = issueCertificate({ name: 'leaf', issuer: oldRoot })

  expect(trustedKeyOf([leaf.x509], [oldRoot.x509], NOW)).toBeUndefined()
  expect(trustedKeyOf([leaf.x509], [oldRoot.x509], instantOf(Date.parse('2026-10-01T00:00:00Z')))).toBeDefined()
})

it('the time of receipt counts, so that a kept callback can be judged again', () => {
  expect(trustedKeyOf([OLD.x509], [ROOT.x509], instantOf(Date.parse('2026-10-01T00:00:00Z')))).toBeDefined()
})

it('without pinned roots the public ones of the runtime are trusted, and no others', () => {
  const roots = openRoots(undefined)()

  expect(roots.length).toBeGreaterThan(50)
  expect(trustedKeyOf([LEAF.x509], roots, NOW)).toBeUndefined()
})

it.each(['', 'no certificate', '-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----', ROOT.pem.repeat(6)])(
  'what serves no certificate, or a heap of them, serves none',
  (text) => {
    expect(readCertificates(text)).toBeUndefined()
  },
)

/** A cache in front of a channel that counts what is fetched, with a clock that the test moves. */
function aCache(answer: (url: string) => HttpResult) {
  const clock = { nowMs: NOW_MS }
  const fetched: string[] = []
  const http = async ({ url }: { readonly url: URL }) => {
    fetched.push(url.href)
    return answer(url.href)
  }
  return {
    clock,
    fetched,
    cache: openCertificateCache(ACCOUNT, { http, nowMs: () => clock.nowMs, roots: () => [ROOT.x509] }),
  }
}

it('500 callbacks in a second with a key that cannot be had ask once a minute, and never loop', async () => {
  const { cache, clock, fetched } = aCache(() => anAnswer(403, ''))

  await Promise.all(Array.from({ length: 500 }, () => cache.prepare(CERTIFICATE_URL)))
  expect(fetched).toHaveLength(1)
  clock.nowMs += REFETCH_MS - 1
  await cache.prepare(CERTIFICATE_URL)
  expect(fetched).toHaveLength(1)
  clock.nowMs += 1
  await cache.prepare(CERTIFICATE_URL)

  expect(fetched).toHaveLength(2)
  expect(cache.get(CERTIFICATE_URL)).toBeUndefined()
})

it('a certificate is kept for a day, and longer while PayPal does not answer', async () => {
  let answer = anAnswer(200, LEAF.pem)
  const { cache, clock, fetched } = aCache(() => answer)

  await cache.prepare(CERTIFICATE_URL)
  clock.nowMs += KEEP_MS - 1
  await cache.prepare(CERTIFICATE_URL)
  expect(fetched).toHaveLength(1)
  clock.nowMs += 1
  answer = aFailure('timeout')
  await cache.prepare(CERTIFICATE_URL)

  expect(fetched).toHaveLength(2)
  expect(cache.get(CERTIFICATE_URL)).toHaveLength(1)
})

it('an address that is not allowed is never fetched', async () => {
  const { cache, fetched } = aCache(() => anAnswer(200, LEAF.pem))

  await cache.prepare('https://api.paypal.com.attacker.invalid/v1/notifications/certs/C')
  await cache.prepare('')

  expect(fetched).toEqual([])
})

it('a redirect serves no certificate', async () => {
  const { cache } = aCache(() => anAnswer(302, LEAF.pem, { location: 'https://attacker.invalid' }))

  await cache.prepare(CERTIFICATE_URL)

  expect(cache.get(CERTIFICATE_URL)).toBeUndefined()
})

/** PayPal with one certificate, and nothing at any name that somebody invents. */
const onlyReal = (url: string) => (url === CERTIFICATE_URL ? anAnswer(200, LEAF.pem) : anAnswer(404, ''))

it('invented names leave the known certificate alone, however many they are', async () => {
  const { cache } = aCache(onlyReal)
  await cache.prepare(CERTIFICATE_URL)

  for (let n = 0; n <= MAX_FAILURES; n++) await cache.prepare(`${CERTIFICATE_URL}-${n}`)

  expect(cache.get(CERTIFICATE_URL)).toHaveLength(1)
})

it('invented names do not keep a real one from being fetched: not the first one, and not a new one after a rotation', async () => {
  const { cache } = aCache(onlyReal)
  for (let n = 0; n < 100; n++) await cache.prepare(`${CERTIFICATE_URL}-${n}`)

  await cache.prepare(CERTIFICATE_URL)

  expect(cache.get(CERTIFICATE_URL)).toHaveLength(1)
})

it('at one moment only so many fetches go out', async () => {
  const { cache, fetched } = aCache(onlyReal)

  await Promise.all(Array.from({ length: 500 }, (_, n) => cache.prepare(`${CERTIFICATE_URL}-${n}`)))

  expect(fetched).toHaveLength(MAX_FETCHES)
})

it.each([
  ['an error', anAnswer(500, '')],
  ['no certificate', anAnswer(200, 'maintenance')],
  ['the certificate of a stranger', anAnswer(200, STRANGER.pem)],
  ['one that is over', anAnswer(200, OLD.pem)],
])('the last good chain stays when its address serves %s, which is asked again in a minute', async (_what, bad) => {
  let answer = anAnswer(200, LEAF.pem)
  const { cache, clock, fetched } = aCache(() => answer)
  await cache.prepare(CERTIFICATE_URL)
  answer = bad
  clock.nowMs += KEEP_MS

  await cache.prepare(CERTIFICATE_URL)
  await cache.prepare(CERTIFICATE_URL)
  const afterFailure = fetched.length
  clock.nowMs += REFETCH_MS
  await cache.prepare(CERTIFICATE_URL)

  expect(afterFailure).toBe(2)
  expect(fetched).toHaveLength(3)
  expect(cache.get(CERTIFICATE_URL)?.[0]?.serialNumber).toBe(LEAF.x509.serialNumber)
})
