import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { NetworkErrorType, Outcome } from '../core/outcome.ts'
import { checkAddress } from './check-address.ts'
import { outcomeOfAnswer } from './outcome-of-answer.ts'
import { type SigningKeys, signWebhook } from './sign-webhook.ts'

/** Limits of one webhook call. Source: design.md 4a, worker times. */
export const CONNECT_TIMEOUT_MS = 2_000
export const TOTAL_TIMEOUT_MS = 10_000
/** An answer is read this far; what follows is not needed. */
export const MAX_ANSWER_BYTES = 16 * 1024

export interface Webhook {
  readonly url: string
  /** Fixed over all retries: the receiver's key against doing it twice. */
  readonly id: string
  readonly body: string
}

/**
 * Sends one signed webhook. No redirects, connect and total time limits, a bounded read; every way it can go wrong is an outcome
 * that says whether the merchant may have got it.
 */
export async function sendWebhook(
  webhook: Webhook,
  keys: SigningKeys,
  privateOrigins: ReadonlySet<string>,
  nowMs: () => number,
): Promise<Outcome> {
  const checked = await checkAddress(webhook.url, privateOrigins)
  if (!checked.ok && checked.problem === 'dns') return neverSent('dns')
  if (!checked.ok) {
    return {
      kind: 'misconfigured',
      code: 'ADDRESS_NOT_ALLOWED',
      networkErrorType: 'address-not-allowed',
      message: 'A webhook goes to https on a public address; name an inner origin in privateOrigins.',
    }
  }
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(webhook.body)),
    'user-agent': 'backstop/1',
    ...signWebhook(keys, webhook.id, Math.floor(nowMs() / 1000), webhook.body),
  }
  return post(checked, headers, webhook.body, nowMs)
}

const neverSent = (networkErrorType: NetworkErrorType): Outcome => ({ kind: 'transient', networkErrorType })

function post(
  { url, address, family }: { readonly url: URL; readonly address: string; readonly family: 4 | 6 },
  headers: Readonly<Record<string, string>>,
  body: string,
  nowMs: () => number,
): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  // The name was resolved and judged already; the connection goes to that address and to no other.
  const lookup: LookupFunction = (_host, options, callback) =>
    options.all ? callback(null, [{ address, family }]) : callback(null, address, family)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const outgoing = send(url, { method: 'POST', headers: { ...headers }, lookup, agent: false })
  let connected = false
  const total = setTimeout(() => finish({ kind: 'unknown', networkErrorType: 'timeout' }), TOTAL_TIMEOUT_MS)
  const connect = setTimeout(() => finish(neverSent('connect-timeout')), CONNECT_TIMEOUT_MS)

  function finish(outcome: Outcome): void {
    clearTimeout(total)
    clearTimeout(connect)
    outgoing.destroy()
    resolve(outcome)
  }

  outgoing.once('socket', (socket) => {
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      connected = true
      clearTimeout(connect)
    })
  })
  outgoing.once('error', (error: NodeJS.ErrnoException) => finish(outcomeOfError(error, connected)))
  outgoing.once('response', (answer) => {
    readBounded(answer).then(
      (text) => finish(outcomeOfAnswer(answer.statusCode ?? 0, answer.headers['retry-after'], text, nowMs())),
      () => finish({ kind: 'unknown', networkErrorType: 'reset' }),
    )
  })
  outgoing.end(body)
  return promise
}

function outcomeOfError(error: NodeJS.ErrnoException, connected: boolean): Outcome {
  if (connected) return { kind: 'unknown', networkErrorType: 'reset' }
  if (error.code === 'ECONNREFUSED') return neverSent('connect-refused')
  if (error.code === 'ETIMEDOUT' || error.code === 'EHOSTUNREACH') return neverSent('connect-timeout')
  return neverSent('tls')
}

async function readBounded(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= MAX_ANSWER_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString('utf8')
}
