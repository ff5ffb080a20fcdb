import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** A machine that may ask for tokens of its own. */
export interface ClientRegistration {
  clientId: string
  clientSecret: string
  /** What it may ask for; all of it when it asks for nothing. */
  scopes: string[]
}

/** The answer of the token endpoint to a refused request, RFC 6749 section 5.2. */
export class TokenRequestError extends Error {
  override readonly name = 'TokenRequestError'
  readonly code: 'invalid_request' | 'invalid_client' | 'invalid_scope' | 'unsupported_grant_type'

  constructor(code: TokenRequestError['code']) {
    super(code)
    this.code = code
  }
}

const maxFormBytes = 65_536

/**
 * Decides which client asks and for which scopes, by the client credentials grant (RFC 6749 section 4.4).
 * @throws TokenRequestError
 */
export async function grantClientToken(
  request: IncomingMessage,
  findClient: (clientId: string) => ClientRegistration | undefined,
): Promise<{ clientId: string; scopes: string[] }> {
  const form = await readForm(request)
  if (form.get('grant_type') !== 'client_credentials') throw new TokenRequestError('unsupported_grant_type')
  const { clientId, clientSecret } = readCredentials(request.headers.authorization, form)
  const client = findClient(clientId)
  if (!client || !isSame(client.clientSecret, clientSecret)) throw new TokenRequestError('invalid_client')
  const asked = (form.get('scope') ?? '').split(' ').filter(Boolean)
  if (!asked.every((scope) => client.scopes.includes(scope))) throw new TokenRequestError('invalid_scope')
  return { clientId, scopes: asked.length > 0 ? asked : client.scopes }
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\b/.test(request.headers['content-type'] ?? '')) {
    throw new TokenRequestError('invalid_request')
  }
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    size += part.length
    if (size <= maxFormBytes) parts.push(part)
  }
  if (size > maxFormBytes) throw new TokenRequestError('invalid_request')
  return new URLSearchParams(Buffer.concat(parts).toString())
}

function readCredentials(header: string | undefined, form: URLSearchParams) {
  const basic = /^Basic (.+)$/i.exec(header ?? '')?.[1]
  if (basic === undefined) {
    return { clientId: form.get('client_id') ?? '', clientSecret: form.get('client_secret') ?? '' }
  }
  const text = Buffer.from(basic, 'base64').toString()
  const colon = text.indexOf(':')
  // Both halves are form-encoded before they are joined, RFC 6749 section 2.3.1.
  const decode = (half: string) => new URLSearchParams(`v=${half.replaceAll('&', '%26')}`).get('v') ?? ''
  return { clientId: decode(text.slice(0, colon)), clientSecret: decode(text.slice(colon + 1)) }
}

function isSame(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(a), hash(b))
}
