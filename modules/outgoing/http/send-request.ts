import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { NetworkErrorType } from '../../core/outcome.ts'

export interface HttpLimits {
  readonly connectTimeoutMs: number
  /** From the first step to the last byte of the answer. */
  readonly totalTimeoutMs: number
  readonly maxAnswerBytes: number
  /** What a longer answer is: a failure (`body-too-large`), or cut there because the rest is not needed. */
  readonly longerAnswer: 'fail' | 'cut'
}

/** Limits of one call to a channel. Source: docs/design/task-times.md, Worker times */
export const CALL_LIMITS: HttpLimits = {
  connectTimeoutMs: 2_000,
  totalTimeoutMs: 10_000,
  maxAnswerBytes: 256 * 1024,
  longerAnswer: 'fail',
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Where to connect, when the name was resolved and judged before; the name itself is not asked again. */
  readonly connectTo?: { readonly address: string; readonly family: 4 | 6 }
}

/** What came back, header names in lower case; a redirect is an answer like any other and is not followed. */
export interface HttpAnswer {
  readonly kind: 'answer'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export type HttpResult = HttpAnswer | { readonly kind: 'failure'; readonly networkErrorType: NetworkErrorType }

/** One bounded request; a port, so that tests and a time budget can stand in front of it. Never throws for what can happen. */
export type SendRequest = (request: HttpRequest, limits?: HttpLimits) => Promise<HttpResult>

/**
 * Sends one request over a connection of its own: on a kept one, a reset could not be told apart from "never sent".
 * Every way it can fail names a network error; `connect-refused`, `connect-timeout`, `dns` and `tls` happen before the first
 * byte of the request, all others may have reached the other side.
 */
export const sendRequest: SendRequest = (request, limits = CALL_LIMITS) => {
  const { promise, resolve } = Promise.withResolvers<HttpResult>()
  const { url, method, headers, body, connectTo } = request
  const isTls = url.protocol === 'https:'
  const outgoing = (isTls ? requestHttps : requestHttp)(url, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }) },
    agent: false,
    ...(connectTo !== undefined && { lookup: lookupOf(connectTo) }),
  })
  let connected = false
  const total = setTimeout(() => fail(connected ? 'timeout' : 'connect-timeout'), limits.totalTimeoutMs)
  const connect = setTimeout(() => fail('connect-timeout'), limits.connectTimeoutMs)

  function finish(result: HttpResult): void {
    clearTimeout(total)
    clearTimeout(connect)
    outgoing.destroy()
    resolve(result)
  }
  function fail(networkErrorType: NetworkErrorType): void {
    finish({ kind: 'failure', networkErrorType })
  }

  outgoing.once('socket', (socket) => {
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      connected = true
      clearTimeout(connect)
    })
  })
  outgoing.on('error', (error: NodeJS.ErrnoException) => fail(connected ? 'reset' : beforeSending(error.code)))
  outgoing.once('response', (incoming) => {
    readBounded(incoming, limits).then(
      (bytes) => (bytes === undefined ? fail('body-too-large') : finish(answerOf(incoming, bytes))),
      () => fail('reset'),
    )
  })
  outgoing.end(body)
  return promise
}

function lookupOf({ address, family }: { readonly address: string; readonly family: 4 | 6 }): LookupFunction {
  return (_host, options, callback) =>
    options.all ? callback(null, [{ address, family }]) : callback(null, address, family)
}

function beforeSending(code: string | undefined): NetworkErrorType {
  if (code === 'ECONNREFUSED') return 'connect-refused'
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'connect-timeout'
  if (code === 'ENOTFOUND' || code?.startsWith('EAI_') === true) return 'dns'
  return 'tls'
}

/** @returns `undefined` when it is longer than allowed; throws when the connection ends inside it */
async function readBounded(incoming: IncomingMessage, limits: HttpLimits): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming) {
    chunks.push(chunk)
    size += chunk.length
    if (size > limits.maxAnswerBytes) break
  }
  if (size > limits.maxAnswerBytes && limits.longerAnswer === 'fail') return undefined
  return Buffer.concat(chunks).subarray(0, limits.maxAnswerBytes)
}

function answerOf(incoming: IncomingMessage, body: Buffer): HttpAnswer {
  const headers = Object.entries(incoming.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  )
  return { kind: 'answer', status: incoming.statusCode ?? 0, headers: Object.fromEntries(headers), body }
}
