import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { JsonObject } from '../template/json.ts'
import { decodePath } from './match-route.ts'

/** Content types that API Gateway hands over as text; a form, and a body without a type, are base64. */
const TEXT_TYPES = new Set(['application/json', 'application/xml', 'application/javascript'])

/** Headers of one connection, which never reach a function. */
const CONNECTION_HEADERS = new Set(['connection', 'keep-alive', 'transfer-encoding', 'cookie'])

export interface HttpEventInput {
  request: IncomingMessage
  /** Target split at its first question mark; both parts as received. */
  path: string
  query: string
  body: Buffer
  routeKey: string
  pathParameters: Record<string, string>
  apiId: string
  accountId: string
  /** ms since the epoch */
  now: number
  authorizer?: JsonObject
}

/**
 * The event of an HTTP API for a Lambda function, payload format 2.0.
 * Source: API Gateway developer guide, "Create AWS Lambda proxy integrations for HTTP APIs"; which types are text: measured
 */
export function buildHttpEvent(input: HttpEventInput): JsonObject {
  const { request, body, query } = input
  const headers = joinHeaders(request)
  const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim())
  const queryStringParameters = joinQuery(query)
  const isText = isTextType(request.headers['content-type'])
  const rawPath = decodePath(input.path)
  const method = request.method ?? 'GET'
  const domainName = request.headers.host ?? 'localhost'
  return {
    version: '2.0',
    routeKey: input.routeKey,
    rawPath,
    rawQueryString: query,
    ...(cookies[0] !== '' && { cookies }),
    headers,
    ...(Object.keys(queryStringParameters).length > 0 && { queryStringParameters }),
    ...(Object.keys(input.pathParameters).length > 0 && { pathParameters: input.pathParameters }),
    requestContext: {
      accountId: input.accountId,
      apiId: input.apiId,
      ...(input.authorizer !== undefined && { authorizer: input.authorizer }),
      domainName,
      domainPrefix: domainName.split('.')[0] ?? '',
      http: {
        method,
        path: rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? '',
        userAgent: request.headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey: input.routeKey,
      stage: '$default',
      time: formatLogTime(input.now),
      timeEpoch: input.now,
    },
    ...(body.length > 0 && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  }
}

function isTextType(contentType: string | undefined): boolean {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  return type.startsWith('text/') || TEXT_TYPES.has(type)
}

/** Node keeps the original pairs; joining them here keeps every repeated header, as API Gateway does. */
function joinHeaders(request: IncomingMessage): Record<string, string> {
  const joined: Record<string, string> = {}
  for (const [name, values] of Object.entries(request.headersDistinct)) {
    if (!CONNECTION_HEADERS.has(name) && values !== undefined) joined[name] = values.join(',')
  }
  const clientIp = request.socket.remoteAddress ?? ''
  const before = joined['x-forwarded-for']
  joined['x-forwarded-for'] = before === undefined ? clientIp : `${before}, ${clientIp}`
  joined['x-forwarded-proto'] = 'http'
  joined['x-forwarded-port'] = String(request.socket.localPort ?? '')
  return joined
}

function joinQuery(query: string): Record<string, string> {
  const joined: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(query)) {
    const before = joined[name]
    joined[name] = before === undefined ? value : `${before},${value}`
  }
  return joined
}

/** "12/Mar/2026:19:03:58 +0000" */
function formatLogTime(nowMs: number): string {
  const [, day, month, year, time] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(nowMs).toUTCString()) ?? []
  return `${day}/${month}/${year}:${time} +0000`
}
