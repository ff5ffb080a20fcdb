import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { SignJWT } from 'jose'
import type { Clock } from '../clock/clock.ts'
import { type ClientRegistration, grantClientToken, TokenRequestError } from './grant-client-token.ts'
import { openSigningKey } from './signing-key.ts'
import { type TokenRules, type Verdict, verifyToken } from './verify-token.ts'

/** Whom a token is for. */
export interface TokenSubject {
  /** By default the client itself, as for a machine. */
  sub?: string
  username?: string
  clientId: string
  scopes: string[]
  groups?: string[]
  ttlSeconds?: number
}

/** An OpenID Connect issuer with tokens shaped like a Cognito user pool's. */
export interface Issuer {
  /** Serves discovery, the key set and the token endpoint below the issuer's URL. Never throws. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  registerClient(client: ClientRegistration): void
  /** @returns a signed access token */
  issue(subject: TokenSubject): Promise<string>
  verify(token: string, rules: TokenRules): Promise<Verdict>
}

const defaultTtlSeconds = 3_600

/**
 * Opens an issuer whose key is kept in the PEM file at `path`, so that tokens outlive a restart.
 * Clients are registered anew at each start.
 * @param options.url the issuer's own URL without a slash at the end, asked for at each use: the port comes late
 */
export async function openIssuer(options: { path: string; clock: Clock; url: () => string }): Promise<Issuer> {
  const { clock, url } = options
  const key = await openSigningKey(options.path)
  const clients = new Map<string, ClientRegistration>()

  async function issue(subject: TokenSubject): Promise<string> {
    const nowSeconds = Math.floor(clock.now() / 1000)
    const claims = {
      token_use: 'access',
      client_id: subject.clientId,
      scope: subject.scopes.join(' '),
      auth_time: nowSeconds,
      version: 2,
      ...(subject.username !== undefined && { username: subject.username }),
      ...(subject.groups !== undefined && { 'cognito:groups': subject.groups }),
    }
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: key.kid })
      .setIssuer(url())
      .setSubject(subject.sub ?? subject.clientId)
      .setJti(randomUUID())
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + (subject.ttlSeconds ?? defaultTtlSeconds))
      .sign(key.privateKey)
  }

  async function handleTokenRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const grant = await grantClientToken(request, (clientId) => clients.get(clientId))
    const body = { access_token: await issue(grant), expires_in: defaultTtlSeconds, token_type: 'Bearer' }
    sendJson(response, 200, body, { 'cache-control': 'no-store' })
  }

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const base = new URL(url()).pathname.replace(/\/$/, '')
    const [path] = (request.url ?? '').split('?')
    const operation = `${request.method} ${path?.startsWith(base) ? path.slice(base.length) : ''}`
    if (operation === 'GET /.well-known/openid-configuration') sendJson(response, 200, describeIssuer(url()))
    else if (operation === 'GET /.well-known/jwks.json') sendJson(response, 200, { keys: [key.jwk] })
    else if (operation === 'POST /oauth2/token') await handleTokenRequest(request, response)
    else sendJson(response, 404, { message: 'Not Found' })
  }

  return {
    async handle(request, response) {
      try {
        await route(request, response)
      } catch (error) {
        if (error instanceof TokenRequestError) sendJson(response, 400, { error: error.code })
        else sendJson(response, 500, { message: String(error) })
      }
    },
    registerClient: (client) => void clients.set(client.clientId, client),
    issue,
    verify: (token, rules) => verifyToken(token, rules, { key, url: url(), nowMs: clock.now() }),
  }
}

function describeIssuer(url: string): object {
  return {
    issuer: url,
    jwks_uri: `${url}/.well-known/jwks.json`,
    token_endpoint: `${url}/oauth2/token`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  }
}

function sendJson(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
