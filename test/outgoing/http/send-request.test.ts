import { expect, it } from 'vitest'
import { outcomeOfFailure } from '../../../modules/outgoing/http/outcome-of-failure.ts'
import { CALL_LIMITS, type HttpLimits, sendRequest } from '../../../modules/outgoing/http/send-request.ts'
import { closedPort, serveHttp, serveTcp } from './local-servers.ts'

const SHORT: HttpLimits = { ...CALL_LIMITS, connectTimeoutMs: 150, totalTimeoutMs: 300 }

function send(address: string, limits: HttpLimits = CALL_LIMITS) {
  return sendRequest({ method: 'POST', url: new URL(address), headers: { 'x-a': 'b' }, body: 'héllo' }, limits)
}

it('an answer is handed over with its status, headers and very bytes', async () => {
  const received: string[] = []
  const base = await serveHttp((request, response) => {
    request.on('data', (chunk: Buffer) => received.push(chunk.toString()))
    request.on('end', () => {
      received.push(String(request.headers['content-length']), String(request.headers['x-a']))
      response.writeHead(201, { 'Retry-After': '7', 'Set-Cookie': ['a=1', 'b=2'] }).end(Buffer.from([0xff, 0x00]))
    })
  })

  const result = await send(`${base}/path`)

  expect(received).toEqual(['héllo', '6', 'b'])
  expect(result).toMatchObject({ kind: 'answer', status: 201, body: Buffer.from([0xff, 0x00]) })
  expect(result).toMatchObject({ headers: { 'retry-after': '7', 'set-cookie': 'a=1, b=2' } })
})

it('a redirect is an answer and is not followed', async () => {
  let requests = 0
  const base = await serveHttp((_request, response) => {
    requests += 1
    response.writeHead(302, { location: '/elsewhere' }).end()
  })

  expect(await send(base)).toMatchObject({ kind: 'answer', status: 302 })
  expect(requests).toBe(1)
})

it('a request goes to the address that was judged, whatever its name resolves to', async () => {
  const base = new URL(await serveHttp((request, response) => void response.end(request.headers.host)))

  const result = await sendRequest({
    method: 'GET',
    url: new URL(`http://no-such-name.invalid:${base.port}/`),
    headers: {},
    connectTo: { address: '127.0.0.1', family: 4 },
  })

  expect(result).toMatchObject({ status: 200, body: Buffer.from(`no-such-name.invalid:${base.port}`) })
})

const NEVER_SENT: readonly (readonly [string, () => Promise<string>, string])[] = [
  ['nobody listens', async () => `http://${await closedPort()}`, 'connect-refused'],
  ['the handshake is never answered', async () => `https://${await serveTcp(() => undefined)}`, 'connect-timeout'],
  [
    'the connection ends inside the handshake',
    async () => `https://${await serveTcp((socket) => socket.destroy())}`,
    'tls',
  ],
  ['the other side speaks no TLS', async () => `https://${await serveTcp((socket) => socket.write('hello'))}`, 'tls'],
]

it.each(NEVER_SENT)('a request is provably not sent when %s', async (_why, address, type) => {
  const result = await send(await address(), SHORT)

  expect(result).toEqual({ kind: 'failure', networkErrorType: type })
  expect(outcomeOfFailure(result.kind === 'failure' ? result.networkErrorType : expect.unreachable())).toEqual({
    kind: 'transient',
    networkErrorType: type,
  })
})

it('a name that does not resolve is provably not sent', async () => {
  const result = await sendRequest({
    method: 'GET',
    url: new URL('http://no-such-name.invalid/'),
    headers: {},
  })

  // A resolver that does not answer at all is cut off by the connect time instead.
  expect(['dns', 'connect-timeout']).toContain(result.kind === 'failure' ? result.networkErrorType : result.kind)
})

const MAY_HAVE_ARRIVED: readonly (readonly [string, () => Promise<string>, string])[] = [
  [
    'the connection ends after the request was read',
    () => serveHttp((request) => void request.on('end', () => request.socket.destroy()).resume()),
    'reset',
  ],
  [
    'the connection ends right after it was made',
    async () => `http://${await serveTcp((socket) => socket.destroy())}`,
    'reset',
  ],
  ['no answer comes', () => serveHttp(() => undefined), 'timeout'],
  [
    'the answer stops in its middle',
    () => serveHttp((_request, response) => void response.writeHead(200).write('{"status":')),
    'timeout',
  ],
  [
    'the answer is cut off',
    () =>
      serveHttp((_request, response) => {
        response.writeHead(200, { 'content-length': '100' })
        response.write('{"status":', () => response.socket?.destroy())
      }),
    'reset',
  ],
  [
    'the answer is huge',
    () => serveHttp((_request, response) => void response.end(Buffer.alloc(300 * 1024))),
    'body-too-large',
  ],
  ['the answer is no HTTP', async () => `http://${await serveTcp((socket) => socket.end('hello\r\n\r\n'))}`, 'reset'],
]

it.each(MAY_HAVE_ARRIVED)('a request may have arrived when %s', async (_why, address, type) => {
  const result = await send(await address(), SHORT)

  expect(result).toEqual({ kind: 'failure', networkErrorType: type })
  expect(outcomeOfFailure(result.kind === 'failure' ? result.networkErrorType : expect.unreachable()).kind).toBe(
    'unknown',
  )
})

it('a long answer is cut where only its beginning is needed', async () => {
  const base = await serveHttp((_request, response) => void response.end('abcdef'))

  const result = await send(base, { ...CALL_LIMITS, maxAnswerBytes: 4, longerAnswer: 'cut' })

  expect(result).toMatchObject({ kind: 'answer', body: Buffer.from('abcd') })
})

it('an answer of just the longest length is whole', async () => {
  const base = await serveHttp((_request, response) => void response.end('abcd'))

  expect(await send(base, { ...CALL_LIMITS, maxAnswerBytes: 4 })).toMatchObject({ body: Buffer.from('abcd') })
})
