import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { InvokeResult } from '../../../../local/host/runtime/execution-environment.ts'
import type { FunctionPool } from '../../../../local/host/runtime/function-pool.ts'
import { type HttpApiServer, openHttpApiServer } from '../../../../local/host/runtime/http-api.ts'
import type { Json } from '../../../../local/host/template/json.ts'
import type { HttpApiSpec } from '../../../../local/host/template/read-http-api.ts'

let server: HttpApiServer
let result: InvokeResult | Promise<InvokeResult>
let invoked: { functionName: string; event: Json }[] = []

const pool: FunctionPool = {
  invoke: async (functionName, event) => {
    invoked.push({ functionName, event })
    return result
  },
  warm: async () => {},
  inFlight: () => 0,
  counters: () => ({}),
  close: async () => {},
}
const route = (routeKey: string, functionName = routeKey, more: object = {}) => ({
  routeKey,
  functionName,
  timeoutMs: 30_000,
  ...more,
})
const api: HttpApiSpec = {
  apiId: 'api',
  routes: [
    route('POST /callbacks/{channel}'),
    route('GET /orders/{orderNo}/file'),
    route('GET /slow', 'slow', { timeoutMs: 20 }),
    route('GET /own', 'own', { jwt: { issuer: 'https://issuer', audience: ['me'], scopes: ['x/read'] } }),
  ],
  cors: {
    allowOrigins: ['https://ops.example.com'],
    allowMethods: ['GET'],
    allowHeaders: ['authorization'],
    exposeHeaders: [],
    allowCredentials: false,
    maxAgeSeconds: 60,
  },
}
const succeed = (value: Json): InvokeResult => ({ ok: true, value })
const post = (body: string | Uint8Array<ArrayBuffer>, contentType?: string) =>
  fetch(`${server.url}/callbacks/alipay`, {
    method: 'POST',
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
    ...(contentType !== undefined && { headers: { 'content-type': contentType } }),
  })

beforeAll(async () => {
  server = await openHttpApiServer(0)
  server.serve({
    api,
    pool,
    clock: { now: () => Date.parse('2026-03-12T19:03:58.390Z'), onLeap: () => {} },
    accountId: '000000000000',
    verifyToken: async (token) =>
      token === 'good'
        ? { ok: true, claims: { sub: 'me' }, scopes: ['x/read'] }
        : { ok: false, status: 403, message: 'Forbidden', wwwAuthenticate: 'Bearer error="insufficient_scope"' },
    onBooked: () => {},
  })
})
beforeEach(() => {
  invoked = []
  result = succeed({ statusCode: 204 })
})
afterAll(() => server.close())

describe('the event of an HTTP API', () => {
  it.each([
    ['application/json; charset=utf-8', false],
    ['text/plain', false],
    ['application/xml', false],
    ['application/javascript', false],
    ['application/x-www-form-urlencoded', true],
    ['application/octet-stream', true],
    ['application/cloudevents+json', true],
    [undefined, true],
  ])('has a body of type %s in base64: %s', async (contentType, isBase64Encoded) => {
    await post('a=1&b=兜底', contentType)

    const body = isBase64Encoded ? Buffer.from('a=1&b=兜底').toString('base64') : 'a=1&b=兜底'
    expect(invoked[0]?.event).toMatchObject({ isBase64Encoded, body })
  })

  it('has no body when the request has none', async () => {
    await fetch(`${server.url}/orders/A1/file`)

    expect(invoked[0]?.event).toMatchObject({ isBase64Encoded: false })
    expect(invoked[0]?.event).not.toHaveProperty('body')
  })

  it('has decoded path variables and query values, repeated ones joined by a comma', async () => {
    await fetch(`${server.url}/orders/A%2F1/file?a=1&b=x%20y&a=2`)

    expect(invoked[0]?.event).toMatchObject({
      version: '2.0',
      routeKey: 'GET /orders/{orderNo}/file',
      rawPath: '/orders/A/1/file',
      rawQueryString: 'a=1&b=x%20y&a=2',
      pathParameters: { orderNo: 'A/1' },
      queryStringParameters: { a: '1,2', b: 'x y' },
      requestContext: {
        http: { method: 'GET', path: '/orders/A/1/file' },
        time: '12/Mar/2026:19:03:58 +0000',
        timeEpoch: 1_773_342_238_390,
        stage: '$default',
      },
    })
  })

  it('has lower-case headers, repeated ones joined by a comma, and cookies in a list of their own', async () => {
    await new Promise((resolve, reject) => {
      const headers = { 'X-Twice': ['a', 'b'], Cookie: 'one=1; two=2' }
      httpRequest(`${server.url}/orders/A1/file`, { headers }, (response) => {
        response.resume().on('end', resolve)
      })
        .on('error', reject)
        .end()
    })

    expect(invoked[0]?.event).toMatchObject({ headers: { 'x-twice': 'a,b' }, cookies: ['one=1', 'two=2'] })
    expect(invoked[0]?.event).not.toHaveProperty('headers.cookie')
  })

  it('has the claims of a token that the route accepts', async () => {
    await fetch(`${server.url}/own`, { headers: { authorization: 'Bearer good' } })

    expect(invoked[0]?.event).toMatchObject({
      requestContext: { authorizer: { jwt: { claims: { sub: 'me' }, scopes: ['x/read'] } } },
    })
  })
})

describe('the answer of an HTTP API', () => {
  it('has the status, headers, cookies and decoded body that the function returns', async () => {
    const body = Buffer.from([0, 255]).toString('base64')
    result = succeed({
      statusCode: 201,
      headers: { 'X-Own': 'yes', 'content-type': 'application/x-own' },
      cookies: ['a=1', 'b=2'],
      body,
      isBase64Encoded: true,
    })

    const answer = await post('')

    expect(answer.status).toBe(201)
    expect(answer.headers.get('x-own')).toBe('yes')
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(new Uint8Array([0, 255]))
  })

  it('is a 200 with the result as JSON when the function names no status', async () => {
    result = succeed({ code: 'SUCCESS' })

    const answer = await post('')

    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(await answer.json()).toEqual({ code: 'SUCCESS' })
  })

  it.each([
    ['a function error', { ok: false, error: { errorType: 'Error', errorMessage: 'secret detail' } } as const],
    ['a status that is no number', succeed({ statusCode: 'fine' })],
    ['a body that is no text', succeed({ statusCode: 200, body: { a: 1 } })],
  ])('is a bare 500 after %s', async (_what, outcome) => {
    result = outcome

    const answer = await post('')

    expect(answer.status).toBe(500)
    expect(await answer.text()).toBe('{"message":"Internal Server Error"}')
  })

  it('is a 404 where no route is, also with another method', async () => {
    const noRoute = await fetch(`${server.url}/nothing`)
    const otherMethod = await fetch(`${server.url}/callbacks/alipay`)

    expect([noRoute.status, otherMethod.status]).toEqual([404, 404])
    expect(await noRoute.text()).toBe('{"message":"Not Found"}')
    expect(invoked).toEqual([])
  })

  it('is a 401 without a token and a 403 without the scope', async () => {
    const without = await fetch(`${server.url}/own`)
    const wrong = await fetch(`${server.url}/own`, { headers: { authorization: 'Bearer other' } })

    expect(await without.text()).toBe('{"message":"Unauthorized"}')
    expect([without.status, wrong.status]).toEqual([401, 403])
    expect(wrong.headers.get('www-authenticate')).toContain('insufficient_scope')
    expect(invoked).toEqual([])
  })

  it('is a 413 for a body over 10 MB', async () => {
    const answer = await post(new Uint8Array(10 * 1024 * 1024 + 1), 'text/plain')

    expect(answer.status).toBe(413)
    expect(invoked).toEqual([])
  })

  it('is a 503 when the function takes longer than the route allows', async () => {
    result = new Promise(() => {})

    const answer = await fetch(`${server.url}/slow`)

    expect(answer.status).toBe(503)
    expect(await answer.text()).toBe('{"message":"Service Unavailable"}')
  })

  it('allows what the CORS settings allow, and answers a preflight itself', async () => {
    const ask = (origin: string) =>
      fetch(`${server.url}/orders/A1/file`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'GET' },
      })

    const allowed = await ask('https://ops.example.com')
    const foreign = await ask('https://evil.example.com')

    expect(allowed.status).toBe(204)
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://ops.example.com')
    expect(allowed.headers.get('access-control-allow-methods')).toBe('GET')
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
    expect(invoked).toEqual([])
  })
})
