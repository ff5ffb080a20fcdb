import type { X509Certificate } from 'node:crypto'
import { instantOf } from '../../core/instant.ts'
import type { HttpLimits, SendRequest } from '../../outgoing/http/send-request.ts'
import type { PaypalAccount } from '../account.ts'
import { readCertificates, trustedKeyOf } from './certificate-chain.ts'
import { parseCertificateUrl } from './certificate-url.ts'

/** How soon the same address is asked again after it gave nothing usable. */
export const REFETCH_MS = 60_000
/** How long a certificate is kept before it is fetched again; its own validity is checked at every callback. */
export const KEEP_MS = 24 * 3600 * 1000
/** Fetches at a time. An environment has one callback at a time, so this is a guard and no budget that a flood could use up. */
export const MAX_FETCHES = 20
/** Addresses whose failure is remembered; the oldest is forgotten, and never a certificate for it. */
export const MAX_FAILURES = 1_000
/** Addresses whose certificate is held. PayPal names one or two; only a chain that leads to a trusted root gets in. */
export const MAX_CERTIFICATES = 20

/** Small, since a callback waits for it. */
const LIMITS: HttpLimits = {
  connectTimeoutMs: 1_000,
  totalTimeoutMs: 2_000,
  maxAnswerBytes: 32 * 1024,
  longerAnswer: 'fail',
}

export interface CertificateCache {
  /**
   * Fetches the certificate at `url` if it may be fetched and is not held. Never throws; what failed is asked again in a minute.
   * @param url of a callback whose headers have their form: nothing is fetched for one that would be refused anyway
   */
  prepare(url: string): Promise<void>
  /** What was fetched from `url`, or `undefined`. */
  get(url: string): readonly X509Certificate[] | undefined
}

export interface CertificateCacheDeps {
  readonly http: SendRequest
  readonly nowMs: () => number
  readonly roots: () => readonly X509Certificate[]
}

/**
 * PayPal's certificates by address, in the memory of one environment. Certificates and failures are kept apart, so that addresses
 * that somebody invents can neither push out a certificate nor keep a real one from being fetched.
 * Source: docs/channels/paypal.md, Keys and certificates
 */
export function openCertificateCache(account: PaypalAccount, deps: CertificateCacheDeps): CertificateCache {
  const { http, nowMs, roots } = deps
  const held = new Map<string, { readonly fetchedAtMs: number; readonly chain: readonly X509Certificate[] }>()
  const failedAtMs = new Map<string, number>()
  const pending = new Map<string, Promise<void>>()

  async function fetch(url: URL, text: string): Promise<void> {
    const answer = await http({ method: 'GET', url, headers: { accept: '*/*', 'user-agent': 'backstop/1' } }, LIMITS)
    const isFound = answer.kind === 'answer' && answer.status === 200
    const chain = isFound ? readCertificates(answer.body.toString('latin1')) : undefined
    const isGood = chain !== undefined && trustedKeyOf(chain, roots(), instantOf(nowMs())) !== undefined
    // What is held stays at a failure: it says itself how long it is good.
    if (!isGood) return keepLatest(failedAtMs, MAX_FAILURES, text, nowMs())
    failedAtMs.delete(text)
    keepLatest(held, MAX_CERTIFICATES, text, { fetchedAtMs: nowMs(), chain })
  }

  function isDue(text: string): boolean {
    const failed = failedAtMs.get(text)
    if (failed !== undefined && nowMs() - failed < REFETCH_MS) return false
    const entry = held.get(text)
    return entry === undefined || nowMs() - entry.fetchedAtMs >= KEEP_MS
  }

  return {
    async prepare(text) {
      const url = parseCertificateUrl(text, account)
      if (url === undefined || !isDue(text)) return
      const running = pending.get(text)
      if (running !== undefined) return running
      if (pending.size >= MAX_FETCHES) return
      // Callers at the same moment share one call.
      const started = fetch(url, text).finally(() => pending.delete(text))
      pending.set(text, started)
      await started
    },
    get: (text) => held.get(text)?.chain,
  }
}

/** Sets an entry as the youngest, and drops the oldest ones over the limit. */
function keepLatest<Value>(map: Map<string, Value>, limit: number, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= limit) return
    map.delete(oldest)
  }
}
