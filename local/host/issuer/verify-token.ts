import { createLocalJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import type { SigningKey } from './signing-key.ts'

/** What a route and its authorizer ask of a token. */
export interface TokenRules {
  /** Allowed `aud` (or `client_id`) values. */
  audience: string[]
  /** The route's scopes, of which one is enough; none asked when absent or empty. */
  scopes?: string[]
}

/** What a handler finds as `requestContext.authorizer.jwt`, or the answer that the caller gets instead. */
export type Verdict =
  | { ok: true; claims: Record<string, string>; scopes: string[] | null }
  | { ok: false; status: 401 | 403; message: 'Unauthorized' | 'Forbidden'; wwwAuthenticate: string }

// RSA only, as the service has it; the key set names the exact one.
const algorithms = ['RS256', 'RS384', 'RS512']

/**
 * Decides on a bearer token by the rules of an HTTP API's JWT authorizer, without leeway for clocks.
 * Source: "Control access to HTTP APIs with JWT authorizers", API Gateway guide.
 */
export async function verifyToken(
  token: string,
  rules: TokenRules,
  issuer: { key: SigningKey; url: string; nowMs: number },
): Promise<Verdict> {
  const currentDate = new Date(issuer.nowMs)
  try {
    const options = { issuer: issuer.url, algorithms, currentDate, requiredClaims: ['exp'] }
    const { payload } = await jwtVerify(token, createLocalJWKSet({ keys: [issuer.key.jwk] }), options)
    if (payload.iat !== undefined && payload.iat * 1000 > issuer.nowMs)
      return unauthorized('the token is not valid yet')
    if (!hasAudience(payload, rules.audience)) return unauthorized('the token does not have a valid audience')
    const scopes = scopesOf(payload)
    const wanted = rules.scopes ?? []
    if (wanted.length > 0 && !wanted.some((scope) => scopes.includes(scope))) return forbidden(wanted)
    return { ok: true, claims: toStrings(payload), scopes: wanted.length > 0 ? scopes : null }
  } catch (error) {
    if (error instanceof errors.JOSEError) return unauthorized(describe(error))
    throw error
  }
}

function hasAudience({ aud, client_id: clientId }: JWTPayload, allowed: string[]): boolean {
  const named = aud ?? clientId
  return [named].flat().some((one) => typeof one === 'string' && allowed.includes(one))
}

function scopesOf({ scope, scp }: JWTPayload): string[] {
  return [scope ?? scp ?? []].flat().flatMap((one) => (typeof one === 'string' ? one.split(' ') : []))
}

/** The service hands claims on as text; a list becomes `[a b]`. */
function toStrings(payload: JWTPayload): Record<string, string> {
  const toText = (value: unknown) => (Array.isArray(value) ? `[${value.join(' ')}]` : String(value))
  return Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, toText(value)]))
}

function describe(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired'
  if (error instanceof errors.JWTClaimValidationFailed) return `the token does not have a valid ${error.claim}`
  return 'the token could not be verified'
}

function unauthorized(description: string): Verdict {
  const wwwAuthenticate = `Bearer scope="" error="invalid_token" error_description="${description}"`
  return { ok: false, status: 401, message: 'Unauthorized', wwwAuthenticate }
}

function forbidden(wanted: string[]): Verdict {
  const description = 'the token does not have a valid scope'
  const wwwAuthenticate = `Bearer scope="${wanted.join(' ')}" error="insufficient_scope" error_description="${description}"`
  return { ok: false, status: 403, message: 'Forbidden', wwwAuthenticate }
}
