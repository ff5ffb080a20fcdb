import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Where an outgoing webhook may go. */
export type AddressCheck =
  | { readonly ok: true; readonly url: URL; readonly address: string; readonly family: 4 | 6 }
  | { readonly ok: false; readonly problem: 'not-allowed' | 'dns' }

/**
 * Resolves a webhook's address once and checks the very address that will be connected to, so that a name cannot point inside
 * between the check and the call. Only https on public addresses, save for origins that the configuration names.
 * @param privateOrigins exact origins (`http://10.0.0.5:8080`) that may be plain or private
 */
export async function checkAddress(target: string, privateOrigins: ReadonlySet<string>): Promise<AddressCheck> {
  if (!URL.canParse(target)) return { ok: false, problem: 'not-allowed' }
  const url = new URL(target)
  const exempt = privateOrigins.has(url.origin)
  if (!exempt && (url.protocol !== 'https:' || url.username !== '' || url.password !== '')) {
    return { ok: false, problem: 'not-allowed' }
  }
  const found = await resolve(url.hostname.replace(/^\[|\]$/g, ''))
  if (found === undefined) return { ok: false, problem: 'dns' }
  if (!exempt && !isPublic(found.address)) return { ok: false, problem: 'not-allowed' }
  return { ok: true, url, ...found }
}

async function resolve(host: string): Promise<{ readonly address: string; readonly family: 4 | 6 } | undefined> {
  const literal = isIP(host)
  if (literal !== 0) return { address: host, family: literal === 6 ? 6 : 4 }
  try {
    const { address, family } = await lookup(host)
    return { address, family: family === 6 ? 6 : 4 }
  } catch {
    return undefined
  }
}

/** Neither private, loopback, link-local (the metadata service), carrier NAT nor reserved; IPv4 inside IPv6 is judged as IPv4. */
function isPublic(address: string): boolean {
  return ipaddr.process(address).range() === 'unicast'
}
