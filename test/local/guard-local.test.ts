import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { keepClientSecret } from '../../local/host/issuer/keep-client-secret.ts'
import { guardedServer, listenOnLoopback } from '../../local/host/runtime/listen.ts'

const PAGE = 'https://ops.shop.example'

/** A server as the local run opens them, with one path that acts and one origin that its CORS rules name. */
async function aServer() {
  const server = guardedServer((_, response) => void response.end('answered'), {
    allowsOrigin: (origin) => origin === PAGE,
    jsonOnly: (path) => path.startsWith('/control/'),
  })
  const url = await listenOnLoopback(server, 0)
  onTestFinished(() => void server.close())
  return async (path: string, method: string, headers: Readonly<Record<string, string>>) => {
    const sent = request(`${url}${path}`, { method, headers, agent: false }).end()
    const [answer] = await once(sent, 'response')
    answer.resume()
    return answer.statusCode
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

it.each<[string, string, string, Record<string, string>, number]>([
  ['a program', '/x', 'GET', {}, 200],
  ['a program by the name localhost', '/x', 'GET', { host: 'localhost:8000' }, 200],
  ['a program by IPv6', '/x', 'GET', { host: '[::1]:8000' }, 200],
  ['a page that was rebound to loopback', '/x', 'GET', { host: 'rebound.example' }, 403],
  ['a page whose host looks like loopback', '/x', 'GET', { host: '127.0.0.1.example' }, 403],
  ['a page of another site', '/x', 'POST', { origin: 'https://evil.example' }, 403],
  ['a sandboxed page', '/x', 'POST', { origin: 'null' }, 403],
  ['a page whose origin looks like loopback', '/x', 'GET', { origin: 'http://localhost.example' }, 403],
  ['a picture in a page of another site', '/x', 'GET', { 'sec-fetch-site': 'cross-site' }, 403],
  ['a page of loopback', '/x', 'POST', { origin: 'http://127.0.0.1:5173', 'sec-fetch-site': 'same-site' }, 200],
  ['an address typed into a browser', '/x', 'GET', { 'sec-fetch-site': 'none' }, 200],
  ['a page that the CORS rules name', '/x', 'GET', { origin: PAGE, 'sec-fetch-site': 'cross-site' }, 200],
  ['a program that acts', '/control/pay', 'POST', JSON_TYPE, 200],
  ['a text that acts', '/control/pay', 'POST', { 'content-type': 'text/plain' }, 403],
  ['a body of no type that acts', '/control/pay', 'POST', {}, 403],
  ['a program that looks', '/control/payments', 'GET', {}, 200],
])('%s (%s, %s, %j) is answered %i', async (_who, path, method, headers, status) => {
  const send = await aServer()

  expect(await send(path, method, headers)).toBe(status)
})

it('a client’s secret is drawn for each state folder, kept over restarts, and read by its owner alone', () => {
  const dir = mkdtempSync(join(tmpdir(), 'backstop-secret-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))

  const [first, again, other] = ['a', 'a', 'b'].map((name) => keepClientSecret(join(dir, name)))

  expect(first).toMatch(/^[\w-]{43}$/)
  expect(again).toBe(first)
  expect(other).not.toBe(first)
  expect(statSync(join(dir, 'a')).mode & 0o077).toBe(0)
})
