import type { X509Certificate } from 'node:crypto'
import type { HttpLimits, SendRequest } from '../../outgoing/http/send-request.ts'
import type { PaypalAccount } from '../account.ts'
import { readCertificates } from './certificate-chain.ts'
import { parseCertificateUrl } from './certificate-url.ts'

/** How soon the same address is asked again after it gave nothing usable. */
export const REFETCH_MS = 60_000
/** How long a certificate is kept before it is fetched again; its own validity is checked at every callback. */
export const KEEP_MS = 24 * 3600 * 1000
/** Addresses that are known at a time, and so fetches in a minute: a flood of invented names must not go out to PayPal. */
export const MAX_ADDRESSES = 20

/** Small, since a callback waits for it. */
const LIMITS: HttpLimits = {
  connectTimeoutMs: 1_000,
  totalTimeoutMs: 2_000,
  maxAnswerBytes: 32 * 1024,
  longerAnswer: 'fail',
}

interface Entry {
  readonly askedAtMs: number
  readonly certificates?: readonly X509Certificate[] | undefined
}

export interface CertificateCache {
  /** Fetches the certificate at `url` if it may be fetched and is not held. Never throws; what failed is asked again in a minute. */
  prepare(url: string | undefined): Promise<void>
  /** What was fetched from `url`, or `undefined`. */
  get(url: string): readonly X509Certificate[] | undefined
}

/** PayPal's certificates by address, in the memory of one environment. Source: docs/channels/paypal.md, Keys and certificates */
export function openCertificateCache(account: PaypalAccount, http: SendRequest, nowMs: () => number): CertificateCache {
  const entries = new Map<string, Entry>()
  const pending = new Map<string, Promise<void>>()

  async function fetch(url: URL, text: string): Promise<void> {
    const held = entries.get(text)?.certificates
    const askedAtMs = nowMs()
    const answer = await http({ method: 'GET', url, headers: { accept: '*/*', 'user-agent': 'backstop/1' } }, LIMITS)
    const isFound = answer.kind === 'answer' && answer.status === 200
    const certificates = isFound ? readCertificates(answer.body.toString('latin1')) : undefined
    // An old certificate is better than none while PayPal does not answer: it says itself how long it holds.
    entries.set(text, { askedAtMs, certificates: certificates ?? held })
  }

  function isFresh(entry: Entry | undefined): boolean {
    if (entry === undefined) return false
    return nowMs() - entry.askedAtMs < (entry.certificates === undefined ? REFETCH_MS : KEEP_MS)
  }

  function makeRoom(): boolean {
    for (const [text, entry] of entries) if (!isFresh(entry)) entries.delete(text)
    return entries.size + pending.size < MAX_ADDRESSES
  }

  return {
    async prepare(text) {
      const url = text === undefined ? undefined : parseCertificateUrl(text, account)
      if (text === undefined || url === undefined || isFresh(entries.get(text))) return
      const running = pending.get(text)
      if (running !== undefined) return running
      if (!entries.has(text) && !makeRoom()) return
      // Callers at the same moment share one call.
      const started = fetch(url, text).finally(() => pending.delete(text))
      pending.set(text, started)
      await started
    },
    get: (text) => entries.get(text)?.certificates,
  }
}
