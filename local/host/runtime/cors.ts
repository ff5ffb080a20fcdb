import type { IncomingMessage } from 'node:http'
import type { CorsSpec } from '../template/read-http-api.ts'
import type { HttpAnswer } from './http-response.ts'

/** True for the question that a browser asks before the request proper. */
export function isPreflight(request: IncomingMessage): boolean {
  return (
    request.method === 'OPTIONS' &&
    request.headers.origin !== undefined &&
    request.headers['access-control-request-method'] !== undefined
  )
}

/** API Gateway's own answer to a preflight; an origin that is not allowed gets no headers. */
export function answerPreflight(cors: CorsSpec, origin: string | undefined): HttpAnswer {
  const headers = corsHeaders(cors, origin)
  if (headers['access-control-allow-origin'] !== undefined) {
    if (cors.allowMethods.length > 0) headers['access-control-allow-methods'] = cors.allowMethods.join(',')
    if (cors.allowHeaders.length > 0) headers['access-control-allow-headers'] = cors.allowHeaders.join(',')
    if (cors.maxAgeSeconds !== undefined) headers['access-control-max-age'] = String(cors.maxAgeSeconds)
  }
  return { status: 204, headers, cookies: [], body: Buffer.alloc(0) }
}

/** The headers that API Gateway adds to the answer for an allowed origin. */
export function corsHeaders(cors: CorsSpec, origin: string | undefined): Record<string, string> {
  if (origin === undefined || !isAllowedOrigin(cors, origin)) return {}
  return {
    'access-control-allow-origin': cors.allowOrigins.includes('*') ? '*' : origin,
    ...(cors.allowCredentials && { 'access-control-allow-credentials': 'true' }),
    ...(cors.exposeHeaders.length > 0 && { 'access-control-expose-headers': cors.exposeHeaders.join(',') }),
    vary: 'origin',
  }
}

/** Whether pages of an origin may call the API. */
export function isAllowedOrigin({ allowOrigins }: CorsSpec, origin: string): boolean {
  return allowOrigins.some((allowed) => matchesOrigin(allowed, origin))
}

/** An allowed origin is `*`, a full origin, or a scheme with a star: `https://*`. */
function matchesOrigin(allowed: string, origin: string): boolean {
  if (allowed.endsWith('*')) return origin.startsWith(allowed.slice(0, -1))
  return allowed.toLowerCase() === origin.toLowerCase()
}
