import { once } from 'node:events'
import { createServer } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { expect, it, onTestFinished } from 'vitest'
import { decideRetry } from '../../../modules/core/decide-retry.ts'
import { plusMs } from '../../../modules/core/instant.ts'
import { policyOf } from '../../../modules/core/task-policies.ts'
import { sendWebhook } from '../../../modules/outgoing/webhook/send-webhook.ts'
import { readSigningKeys, SigningKeyError } from '../../../modules/outgoing/webhook/sign-webhook.ts'
import { BANK_SECRET, SECRET, START } from '../../support/world-bank.ts'
import { startReceiver } from './receiver.ts'

const keys = readSigningKeys(BANK_SECRET)
const aWebhook = (url: string, change: { id?: string; body?: string } = {}) => ({
  url,
  id: 'dlv_1',
  body: '{"a":"é"}',
  ...change,
})
const send = (url: string, exempt: string[] = [new URL(url).origin], change = {}) =>
  sendWebhook(aWebhook(url, change), keys, new Set(exempt), Date.now)

it.each([
  [200, {}, { kind: 'done' }],
  [204, {}, { kind: 'done' }],
  [202, {}, { kind: 'notYet', code: 'ACCEPTED_NOT_DONE' }],
  [400, {}, { kind: 'rejected', code: 'HTTP_400' }],
  [401, {}, { kind: 'rejected', code: 'HTTP_401' }],
  [404, {}, { kind: 'rejected', code: 'HTTP_404' }],
  [408, {}, { kind: 'unknown', code: 'HTTP_408' }],
  [409, {}, { kind: 'rejected', code: 'HTTP_409' }],
  [410, {}, { kind: 'rejected', code: 'HTTP_410' }],
  [425, {}, { kind: 'unknown', code: 'HTTP_425' }],
  [429, { 'retry-after': '120' }, { kind: 'unknown', code: 'HTTP_429', retryAfterMs: 120_000 }],
  [500, {}, { kind: 'unknown', code: 'HTTP_500' }],
  [503, { 'retry-after': 'soon' }, { kind: 'unknown', code: 'HTTP_503' }],
] as const)('an answer of %i is what the table says', async (status, headers, outcome) => {
  const { origin, received } = await startReceiver((response) => response.writeHead(status, headers).end('the answer'))

  const result = await send(`${origin}/hook`)

  expect(result).toMatchObject({ ...outcome, httpStatus: status })
  expect(result.retryAfterMs).toBe('retryAfterMs' in outcome ? outcome.retryAfterMs : undefined)
  expect(received).toHaveLength(1)
})

it('a 429 with Retry-After 120 waits at least 120 s, and a 404 goes to a person with the answer’s words', async () => {
  const limited = await startReceiver((response) => response.writeHead(429, { 'retry-after': '120' }).end())
  const gone = await startReceiver((response) => response.writeHead(404).end('no such hook'))
  const policy = policyOf('DELIVER', undefined, {})
  const task = { retryCount: 0, deadlineAt: plusMs(START, policy.totalMs) }

  const [again, person] = await Promise.all([send(limited.origin), send(gone.origin)])

  const retry = decideRetry(task, again, { policy: policy, now: START, jitter: 0 })
  expect(retry.kind === 'retry' && Date.parse(retry.nextExecuteAt) - Date.parse(START)).toBeGreaterThanOrEqual(120_000)
  expect(decideRetry(task, person, { policy: policy, now: START, jitter: 0 })).toMatchObject({
    kind: 'manual',
    reason: 'HTTP_404',
  })
  expect(person.message).toBe('no such hook')
})

it('a redirect is not followed', async () => {
  const target = await startReceiver((response) => response.end('got it'))
  const { origin } = await startReceiver((response) => response.writeHead(307, { location: `${target.origin}/` }).end())

  const result = await send(origin, [origin, target.origin])

  expect(result).toMatchObject({ kind: 'transient', code: 'REDIRECTED', httpStatus: 307 })
  expect(target.received).toHaveLength(0)
})

it.each([
  'https://127.0.0.1/',
  'https://10.1.2.3/',
  'https://192.168.0.1/',
  'https://172.16.9.9/',
  'https://169.254.169.254/latest/meta-data',
  'https://100.64.0.1/',
  'https://0.0.0.0/',
  'https://[::1]/',
  'https://[fe80::1]/',
  'https://[fd00::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://localhost/',
  'http://example.com/',
  'https://user:password@example.com/',
  'ftp://example.com/',
  'not an address',
])('%s is not called: an address inside, or no https', async (url) => {
  expect(await send(url, [])).toMatchObject({ kind: 'misconfigured', code: 'ADDRESS_NOT_ALLOWED' })
})

it('an origin that the configuration names may be plain and private; another port of it may not', async () => {
  const { origin, port } = await startReceiver((response) => response.end())

  expect(await send(origin, [origin])).toMatchObject({ kind: 'done' })
  expect(await send(origin, [`http://127.0.0.1:${port + 1}`])).toMatchObject({ kind: 'misconfigured' })
})

it('a name that no server knows was never sent to', async () => {
  expect(await send('https://no-such-host.invalid/', [])).toEqual({ kind: 'transient', networkErrorType: 'dns' })
})

it('a refused connection was never sent', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  server.close()
  await once(server, 'close')

  expect(await send(`http://127.0.0.1:${port}/`)).toEqual({ kind: 'transient', networkErrorType: 'connect-refused' })
})

it('a connection that breaks after the request may have been heard', async () => {
  const { origin, received } = await startReceiver((_response, request) => request.socket.destroy())

  expect(await send(origin)).toEqual({ kind: 'unknown', networkErrorType: 'reset' })
  expect(received).toHaveLength(1)
})

it('a fault of TLS was never sent', async () => {
  const { port } = await startReceiver((response) => response.end())
  const url = `https://127.0.0.1:${port}/`

  expect(await send(url)).toEqual({ kind: 'transient', networkErrorType: 'tls' })
})

it('a server that takes the connection and does not speak TLS in two seconds was never sent to', async () => {
  const sockets: { destroy(): void }[] = []
  const server = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0

  expect(await send(`https://127.0.0.1:${port}/`)).toEqual({ kind: 'transient', networkErrorType: 'connect-timeout' })
})

it('an answer that does not end in ten seconds may have been heard', async () => {
  const { origin } = await startReceiver((response) => {
    response.writeHead(200)
    response.write('...')
  })

  expect(await send(origin)).toMatchObject({ kind: 'unknown', networkErrorType: 'timeout' })
})

it('of a huge answer only the beginning is read', async () => {
  const { origin } = await startReceiver((response) => {
    response.writeHead(500)
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536))) {}
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  })

  const result = await send(origin)

  expect(result).toMatchObject({ kind: 'unknown', code: 'HTTP_500' })
  expect(result.message?.length).toBeLessThanOrEqual(200)
})

it('the signature verifies with the reference library, and the id stays the same over all tries', async () => {
  const { origin, received } = await startReceiver((response) => response.end())

  await send(origin)
  await send(origin)

  const verified = received.map(({ body, headers }) => new Webhook(SECRET).verify(body, headers))
  expect(verified).toEqual([{ a: 'é' }, { a: 'é' }])
  expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(['dlv_1', 'dlv_1'])
  expect(received.every(({ headers }) => headers['content-type'] === 'application/json')).toBe(true)
})

it('during a rotation the receiver may verify with either secret', async () => {
  const next = `whsec_${Buffer.from('another secret of thirty-two by').toString('base64')}`
  const both = readSigningKeys(JSON.stringify({ secrets: [next, SECRET] }))
  const { origin, received } = await startReceiver((response) => response.end())

  await sendWebhook(aWebhook(origin), both, new Set([origin]), Date.now)

  for (const secret of [next, SECRET]) {
    expect(new Webhook(secret).verify(received[0]?.body ?? '', received[0]?.headers ?? {})).toEqual({ a: 'é' })
  }
})

it.each(['', 'no json', '{}', '{"secrets":[]}', '{"secrets":["whsec_short"]}', '{"secrets":"whsec_x"}', 'null'])(
  'a merchant secret of another form (%j) is refused without its value',
  (text) => {
    expect(() => readSigningKeys(text)).toThrow(SigningKeyError)
  },
)

it('no card number, address or key of an answer is kept', async () => {
  const { origin } = await startReceiver((response) =>
    response
      .writeHead(400)
      .end(`card 4111 1111 1111 1111, mail buyer@example.com, key ${SECRET}, Authorization: Bearer eyJhbGciOi.abc`),
  )

  const { message = '' } = await send(origin)

  for (const secret of ['4111', 'buyer@example.com', SECRET, 'eyJhbGciOi']) expect(message).not.toContain(secret)
  expect(message).toContain('card')
})
