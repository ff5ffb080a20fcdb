import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { type Issuer, openIssuer } from '../../../../local/host/issuer/open-issuer.ts'
import { openSigningKey } from '../../../../local/host/issuer/signing-key.ts'

const dir = mkdtempSync(join(tmpdir(), 'backstop-issuer-'))
const path = join(dir, 'key.pem')
let nowMs = Date.parse('2026-11-30T10:00:00.900Z')
const clock = { now: () => nowMs, onLeap: () => {} }
const nowSeconds = Math.floor(nowMs / 1000)
const server = createServer((request, response) => void issuer.handle(request, response))
let url = ''
let issuer: Issuer

type Claims = Record<string, unknown>
const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.string() })
const keySetSchema = z.object({ keys: z.array(z.record(z.string(), z.string())) })
const tokenSchema = z.object({ access_token: z.string(), expires_in: z.number(), token_type: z.string() })

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  url = `http://127.0.0.1:${address.port}/pool`
  issuer = await openIssuer({ path, clock, url: () => url })
  issuer.registerClient({ clientId: 'shop', clientSecret: 's:cret&+%', scopes: ['orders/read', 'orders/write'] })
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(dir, { recursive: true })
})

const askToken = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${url}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form), headers })

/** A token signed with the issuer's own key, whatever its claims. */
async function forge(claims: Claims): Promise<string> {
  const { kid, privateKey } = await openSigningKey(path)
  const valid = { iss: url, client_id: 'ops', scope: 'ops/read', iat: nowSeconds, exp: nowSeconds + 60 }
  const present = Object.entries<unknown>({ ...valid, ...claims }).filter(([, value]) => value !== undefined)
  return new SignJWT(Object.fromEntries(present)).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey)
}

it('an access token has the claims of a Cognito user', async () => {
  const token = await issuer.issue({
    sub: '7f1c',
    username: 'lin',
    clientId: 'ops',
    scopes: ['ops/read', 'ops/decide'],
    groups: ['finance', 'admin'],
    ttlSeconds: 60,
  })

  expect(decodeJwt(token)).toMatchObject({
    iss: url,
    sub: '7f1c',
    username: 'lin',
    client_id: 'ops',
    token_use: 'access',
    scope: 'ops/read ops/decide',
    'cognito:groups': ['finance', 'admin'],
    iat: nowSeconds,
    exp: nowSeconds + 60,
  })
  expect(decodeJwt(token).aud).toBeUndefined()
})

it('a stranger verifies a token with nothing but the discovery document', async () => {
  const response = await fetch(`${url}/.well-known/openid-configuration`)
  const discovery = discoverySchema.parse(await response.json())
  const keys = createRemoteJWKSet(new URL(discovery.jwks_uri))

  const { payload } = await jwtVerify(await issuer.issue({ clientId: 'ops', scopes: [] }), keys, {
    issuer: discovery.issuer,
    currentDate: new Date(nowMs),
  })

  expect(payload.sub).toBe('ops')
})

it('the key set holds no private part and the key file is its owner’s alone', async () => {
  const response = await fetch(`${url}/.well-known/jwks.json`)
  const { keys } = keySetSchema.parse(await response.json())

  expect(keys).toHaveLength(1)
  expect(Object.keys(keys[0] ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

it('a client gets a token by basic authentication or by form, with the scopes it asks for', async () => {
  const basic = Buffer.from(`shop:${encodeURIComponent('s:cret&+%')}`).toString('base64')
  const byHeader = await askToken(
    { grant_type: 'client_credentials', scope: 'orders/read' },
    { authorization: `Basic ${basic}` },
  )
  const byForm = await askToken({ grant_type: 'client_credentials', client_id: 'shop', client_secret: 's:cret&+%' })

  const narrow = tokenSchema.parse(await byHeader.json())
  const whole = tokenSchema.parse(await byForm.json())

  expect(narrow).toMatchObject({ token_type: 'Bearer', expires_in: 3600 })
  expect([narrow, whole].map((answer) => decodeJwt(answer.access_token)['scope'])).toEqual([
    'orders/read',
    'orders/read orders/write',
  ])
  expect(decodeJwt(narrow.access_token)).toMatchObject({ sub: 'shop', client_id: 'shop', token_use: 'access' })
})

it.each([
  ['a wrong secret', { client_secret: 'wrong' }, 'invalid_client'],
  ['an unknown client', { client_id: 'nobody' }, 'invalid_client'],
  ['a scope it does not have', { scope: 'orders/read ops/decide' }, 'invalid_scope'],
  ['another grant', { grant_type: 'password' }, 'unsupported_grant_type'],
])('%s gets no token', async (_what, change, error) => {
  const valid = { grant_type: 'client_credentials', client_id: 'shop', client_secret: 's:cret&+%' }

  const response = await askToken({ ...valid, ...change })

  expect([response.status, await response.json()]).toEqual([400, { error }])
})

it('a valid token gives the claims as a handler sees them', async () => {
  const token = await issuer.issue({ sub: '7f1c', clientId: 'ops', scopes: ['ops/read', 'ops/x'], groups: ['a', 'b'] })

  const verdict = await issuer.verify(token, { audience: ['ops'], scopes: ['ops/read', 'ops/decide'] })

  expect(verdict).toMatchObject({
    ok: true,
    claims: { sub: '7f1c', 'cognito:groups': '[a b]', exp: String(nowSeconds + 3600) },
    scopes: ['ops/read', 'ops/x'],
  })
})

it('a route without scopes asks for none', async () => {
  const token = await issuer.issue({ clientId: 'ops', scopes: [] })

  expect(await issuer.verify(token, { audience: ['ops'] })).toMatchObject({ ok: true, scopes: null })
})

it('a token without any of the route’s scopes is forbidden', async () => {
  const token = await issuer.issue({ clientId: 'ops', scopes: ['ops/read'] })

  const verdict = await issuer.verify(token, { audience: ['ops'], scopes: ['ops/decide'] })

  expect(verdict).toMatchObject({ ok: false, status: 403, message: 'Forbidden' })
})

it.each<[string, Claims, string | undefined]>([
  ['the client among the audience', {}, undefined],
  ['an aud among the audience', { aud: ['x', 'ops'], client_id: 'other' }, undefined],
  ['a foreign client', { client_id: 'other' }, 'audience'],
  ['a foreign aud, whatever the client', { aud: 'other' }, 'audience'],
  ['another issuer', { iss: 'https://elsewhere.example' }, 'iss'],
  ['an expiry that has come', { exp: nowSeconds }, 'expired'],
  ['no expiry', { exp: undefined }, 'exp'],
  ['a start to come', { nbf: nowSeconds + 1 }, 'nbf'],
  ['an issue date to come', { iat: nowSeconds + 1 }, 'not valid yet'],
])('a token with %s is judged as API Gateway does', async (_what, claims, reason) => {
  const verdict = await issuer.verify(await forge(claims), { audience: ['ops'], scopes: ['ops/read'] })

  if (reason === undefined) expect(verdict.ok).toBe(true)
  else expect(verdict).toMatchObject({ status: 401, wwwAuthenticate: expect.stringContaining(reason) })
})

it('only an RSA signature of the issuer’s own key counts', async () => {
  const claims = { iss: url, client_id: 'ops', iat: nowSeconds, exp: nowSeconds + 60 }
  const { kid } = decodeProtectedHeader(await issuer.issue({ clientId: 'ops', scopes: [] }))
  const header = (alg: string) => ({ alg, ...(kid !== undefined && { kid }) })
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const foreign = await new SignJWT(claims).setProtectedHeader(header('RS256')).sign(privateKey)
  const hmac = await new SignJWT(claims).setProtectedHeader(header('HS256')).sign(Buffer.alloc(32))
  const unsigned = new UnsecuredJWT(claims).encode()
  const genuine = await issuer.issue({ clientId: 'ops', scopes: [] })
  const [head, body, signature] = genuine.split('.')
  const edited = [head, Buffer.from(JSON.stringify({ ...claims, sub: 'admin' })).toString('base64url'), signature].join(
    '.',
  )

  const verdicts = await Promise.all(
    [foreign, hmac, unsigned, edited, `${head}.${body}`, 'nonsense', ''].map((token) =>
      issuer.verify(token, { audience: ['ops'] }),
    ),
  )

  expect(verdicts.map((verdict) => !verdict.ok && verdict.status)).toEqual(Array.from({ length: 7 }, () => 401))
})

it('tokens outlive a restart and die when the clock leaps past them', async () => {
  const token = await issuer.issue({ clientId: 'ops', scopes: [], ttlSeconds: 60 })
  const restarted = await openIssuer({ path, clock, url: () => url })
  const before = await restarted.verify(token, { audience: ['ops'] })

  nowMs += 60_000
  const after = await restarted.verify(token, { audience: ['ops'] })
  nowMs -= 60_000

  expect([before.ok, after.ok]).toEqual([true, false])
})
