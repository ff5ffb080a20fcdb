import type { ServerResponse } from 'node:http'
import { isObject, type Json, type JsonObject } from '../template/json.ts'

/** An answer ready to be written. */
export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  cookies: string[]
  body: Buffer
}

/** A JSON answer of API Gateway itself. */
export function answerMessage(status: number, message: string): HttpAnswer {
  const body = Buffer.from(JSON.stringify({ message }))
  return { status, headers: { 'content-type': 'application/json' }, cookies: [], body }
}

/**
 * What API Gateway makes of a function's result, payload format 2.0: a result without `statusCode` is the body of a 200.
 * A malformed result is a 500.
 */
export function readFunctionResult(result: Json): HttpAnswer {
  if (!isObject(result) || result['statusCode'] === undefined) {
    const text = typeof result === 'string' ? result : JSON.stringify(result)
    return { status: 200, headers: { 'content-type': 'application/json' }, cookies: [], body: Buffer.from(text) }
  }
  const status = Number(result['statusCode'])
  const { body = null, cookies = [] } = result
  if (!Number.isInteger(status) || status < 100 || status > 599 || (body !== null && typeof body !== 'string')) {
    return answerMessage(500, 'Internal Server Error')
  }
  const bytes = Buffer.from(body ?? '', result['isBase64Encoded'] === true ? 'base64' : 'utf8')
  return {
    status,
    headers: { ...(bytes.length > 0 && { 'content-type': 'text/plain; charset=utf-8' }), ...readHeaders(result) },
    cookies: Array.isArray(cookies) ? cookies.map(String) : [],
    body: bytes,
  }
}

function readHeaders(result: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {}
  const given = isObject(result['headers']) ? result['headers'] : {}
  for (const [name, value] of Object.entries(given)) headers[name.toLowerCase()] = String(value)
  return headers
}

/** Writes an answer and ends the response. */
export function sendAnswer(response: ServerResponse, answer: HttpAnswer): void {
  response.statusCode = answer.status
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value)
  if (answer.cookies.length > 0) response.setHeader('set-cookie', answer.cookies)
  if (answer.status !== 204 && answer.status !== 304) response.setHeader('content-length', answer.body.length)
  response.end(answer.body)
}
