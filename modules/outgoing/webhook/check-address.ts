import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * A name is resolved by one of four threads that all of the process shares: while they hang, everything that waits for a name
 * would hang with it, and nothing was sent.
 */
export const LOOKUP_TIMEOUT_MS = 2_000

/** The system's resolver; a port, so that a test can have one that hangs. */
export type LookUp = (host: string) => Promise<{ readonly address: string; readonly family: number }>

/** Where an outgoing webhook may go. */
export type AddressCheck =
  | { readonly ok: true; readonly url: URL; readonly address: string; readonly family: 4 | 6 }
  | { readonly ok: false; readonly problem: 'not-allowed' | 'dns' }

/**
 * Resolves a webhook's address once and checks the very address that will be connected to, so that a name cannot point inside
 * between the check and the call. Only https on public addresses, save for origins that the configuration names. A name that is
 * not resolved within 2 s counts as unknown: `dns`.
 * @param privateOrigins exact origins (`http://10.0.0.5:8080`) that may be plain or private
 */
export async function checkAddress(
  target: string,
  privateOrigins: ReadonlySet<string>,
  lookUp: LookUp = lookup,
): Promise<AddressCheck> {
  if (!URL.canParse(target)) return { ok: false, problem: 'not-allowed' }
  const url = new URL(target)
  const exempt = privateOrigins.has(url.origin)
  if (!exempt && (url.protocol !== 'https:' || url.username !== '' || url.password !== '')) {
    return { ok: false, problem: 'not-allowed' }
  }
  const found = await resolve(url.hostname.replace(/^\[|\]$/g, ''), lookUp)
  if (found === undefined) return { ok: false, problem: 'dns' }
  if (!exempt && !isPublic(found.address)) return { ok: false, problem: 'not-allowed' }
  return { ok: true, url, ...found }
}

async function resolve(
  host: string,
  lookUp: LookUp,
): Promise<{ readonly address: string; readonly family: 4 | 6 } | undefined> {
  const literal = isIP(host)
  if (literal !== 0) return { address: host, family: literal === 6 ? 6 : 4 }
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), LOOKUP_TIMEOUT_MS)
  try {
    const found = await Promise.race([lookUp(host), late.promise])
    return found && { address: found.address, family: found.family === 6 ? 6 : 4 }
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

/** What is given out as public IPv6. Source: IANA, "Internet Protocol Version 6 Address Space" */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Neither private, loopback, link-local (the metadata service), carrier NAT nor reserved; an IPv4 address in its IPv6 form is
 * judged as IPv4. All other IPv6 is public only inside the one range that is given out: ways to write an IPv4 address are many.
 */
function isPublic(address: string): boolean {
  const judged = ipaddr.process(address)
  if (judged instanceof ipaddr.IPv6 && !judged.match(PUBLIC_IPV6)) return false
  return judged.range() === 'unicast'
}
