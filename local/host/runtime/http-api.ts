import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { guardLocal } from '../../engines/wire/guard-local.ts'
import type { Clock } from '../clock/clock.ts'
import type { Verdict } from '../issuer/verify-token.ts'
import type { JsonObject } from '../template/json.ts'
import type { HttpApiSpec, RouteSpec } from '../template/read-http-api.ts'
import { answerPreflight, corsHeaders, isAllowedOrigin, isPreflight } from './cors.ts'
import type { FunctionPool } from './function-pool.ts'
import { buildHttpEvent } from './http-event.ts'
import { answerMessage, type HttpAnswer, readFunctionResult, sendAnswer } from './http-response.ts'
import { listenOnLoopback } from './listen.ts'
import { matchRoute } from './match-route.ts'

// Source: API Gateway developer guide, "Quotas for HTTP APIs"; Lambda developer guide, "Lambda quotas"
const MAX_BODY_BYTES = 10 * 1024 * 1024
const MAX_HEADER_BYTES = 10_240
const MAX_EVENT_BYTES = 6 * 1024 * 1024

/** Decides on a bearer token, by the audience and scopes that a route asks for. */
export type VerifyToken = (token: string, rules: { audience: string[]; scopes: string[] }) => Promise<Verdict>

export interface HttpApiOptions {
  api: HttpApiSpec
  pool: FunctionPool
  clock: Clock
  accountId: string
  verifyToken: VerifyToken
  /** Called after each answer. */
  onBooked: () => void
}

/** The HTTP API of the stack, listening on the loopback interface. */
export interface HttpApi {
  /** Requests received and not answered yet. */
  inFlight(): number
  close(): Promise<void>
}

/** An HTTP API's server before it knows its routes: its address must be known to resolve the template. */
export interface HttpApiServer {
  /** "http://127.0.0.1:port" */
  url: string
  /** Starts to answer; before that a request waits. */
  serve(options: HttpApiOptions): HttpApi
  close(): Promise<void>
}

/**
 * Takes a port on 127.0.0.1.
 * @param port 0 for any free one
 * @throws PortTakenError
 */
export async function openHttpApiServer(port: number): Promise<HttpApiServer> {
  const ready = Promise.withResolvers<(request: IncomingMessage, response: ServerResponse) => Promise<void>>()
  let allowsOrigin = (_origin: string) => false
  const answer = guardLocal(
    (request, response) => {
      void ready.promise.then((serve) => serve(request, response))
    },
    { allowsOrigin: (origin) => allowsOrigin(origin) },
  )
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false }, answer)
  const url = await listenOnLoopback(server, port)
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })

  return {
    url,
    close,
    serve: (options) => {
      let inFlight = 0
      const { cors } = options.api
      allowsOrigin = (origin) => cors !== undefined && isAllowedOrigin(cors, origin)
      ready.resolve(async (request, response) => {
        inFlight += 1
        try {
          const answer = await answerRequest(request, options)
          const added = cors && corsHeaders(cors, request.headers.origin)
          sendAnswer(response, { ...answer, headers: { ...answer.headers, ...added } })
        } catch (error) {
          // A client that went away is nobody to answer; anything else is a bug of this host.
          if (!request.destroyed) process.emitWarning(error instanceof Error ? error : String(error))
          response.destroy()
        } finally {
          inFlight -= 1
          options.onBooked()
        }
      })
      return { inFlight: () => inFlight, close }
    },
  }
}

async function answerRequest(request: IncomingMessage, options: HttpApiOptions): Promise<HttpAnswer> {
  const { api } = options
  if (api.cors !== undefined && isPreflight(request)) return answerPreflight(api.cors, request.headers.origin)
  const [path = '/', query = ''] = splitOnce(request.url ?? '/', '?')
  const match = matchRoute(api.routes, request.method ?? 'GET', path)
  const body = await readBody(request)
  if (body === undefined) return answerMessage(413, 'Request Entity Too Large')
  if (match === undefined) return answerMessage(404, 'Not Found')
  const authorized = await authorize(request, match.route, options.verifyToken)
  if (authorized.answer !== undefined) return authorized.answer

  const event = buildHttpEvent({
    request,
    path,
    query,
    body,
    routeKey: match.route.routeKey,
    pathParameters: match.pathParameters,
    apiId: api.apiId,
    accountId: options.accountId,
    now: options.clock.now(),
    ...(authorized.authorizer !== undefined && { authorizer: authorized.authorizer }),
  })
  if (Buffer.byteLength(JSON.stringify(event)) > MAX_EVENT_BYTES) return answerMessage(500, 'Internal Server Error')
  const result = await withinLimit(options.pool.invoke(match.route.functionName, event), match.route.timeoutMs)
  if (result === undefined) return answerMessage(503, 'Service Unavailable')
  return result.ok ? readFunctionResult(result.value) : answerMessage(500, 'Internal Server Error')
}

type Authorized = { answer: HttpAnswer } | { answer?: undefined; authorizer?: JsonObject }

async function authorize(request: IncomingMessage, route: RouteSpec, verifyToken: VerifyToken): Promise<Authorized> {
  if (route.jwt === undefined) return {}
  const token = request.headers.authorization?.replace(/^bearer /i, '')
  if (token === undefined) return { answer: refuse(401, 'Unauthorized', 'Bearer') }
  const verdict = await verifyToken(token, route.jwt)
  if (!verdict.ok) return { answer: refuse(verdict.status, verdict.message, verdict.wwwAuthenticate) }
  return { authorizer: { jwt: { claims: verdict.claims, scopes: verdict.scopes } } }
}

function refuse(status: number, message: string, wwwAuthenticate: string): HttpAnswer {
  const answer = answerMessage(status, message)
  return { ...answer, headers: { ...answer.headers, 'www-authenticate': wwwAuthenticate } }
}

/** The whole body, `undefined` when it is over the limit; what follows is then read and thrown away. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size <= MAX_BODY_BYTES) chunks.push(bytes)
  }
  return size <= MAX_BODY_BYTES ? Buffer.concat(chunks) : undefined
}

function withinLimit<Value>(promise: Promise<Value>, limitMs: number): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), limitMs)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}
