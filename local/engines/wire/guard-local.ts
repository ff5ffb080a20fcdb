import type { IncomingMessage, RequestListener } from 'node:http'

/** 127.0.0.1, all of 127/8, ::1 and localhost, with any port. */
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])(?::\d{1,5})?$/
/** What a page may send without being asked first; none of it is JSON. */
const JSON_TYPE = /^application\/json(?:\s*;|$)/i

export interface GuardRules {
  /** An origin beside loopback that may call from a page: one that the stack's own CORS rules name. */
  readonly allowsOrigin?: (origin: string) => boolean
  /** Paths that act and know no credentials: a body for them must be JSON, which no page sends to another origin unasked. */
  readonly jsonOnly?: (path: string) => boolean
}

/**
 * Why a request is not answered by a server of the local run, in a sentence for whoever sent it; `undefined` when it is. Any page of
 * a browser on this machine can reach a loopback port: under a name of its own (DNS rebinding), by a form, or by a plain fetch.
 * Source: Fetch standard, "CORS-safelisted request-header"; Fetch Metadata, https://www.w3.org/TR/fetch-metadata/
 */
export function whyNotLocal({ headers, method, url }: IncomingMessage, rules: GuardRules = {}): string | undefined {
  const { host = '', origin } = headers
  if (!LOOPBACK.test(host)) return 'Only requests to a loopback host are answered.'
  const isAllowed = origin !== undefined && rules.allowsOrigin?.(origin) === true
  if (origin !== undefined && !isAllowed && !isLoopback(origin)) return 'A page of another origin is not answered.'
  if (headers['sec-fetch-site'] === 'cross-site' && !isAllowed) return 'A page of another site is not answered.'
  const [path = ''] = (url ?? '').split('?', 1)
  const isAct = method !== 'GET' && method !== 'HEAD' && rules.jsonOnly?.(path) === true
  if (isAct && !JSON_TYPE.test(headers['content-type'] ?? '')) return 'Send content-type: application/json.'
  return undefined
}

/** `null`, which sandboxed pages and files send, is no loopback. */
function isLoopback(origin: string): boolean {
  return LOOPBACK.test(origin.replace(/^https?:\/\//, ''))
}

/** A listener in front of which every local server puts the same guard: what it refuses gets a 403 and nothing else. */
export function guardLocal(answer: RequestListener, rules: GuardRules = {}): RequestListener {
  return (request, response) => {
    const why = whyNotLocal(request, rules)
    if (why === undefined) return answer(request, response)
    response.writeHead(403, { 'content-type': 'text/plain' }).end(why)
  }
}
