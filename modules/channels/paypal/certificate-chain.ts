import { X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import { type Instant, msOf } from '../../core/instant.ts'
import { type RsaPublicKey, readRsaPublicKey } from '../rsa.ts'

const PEM = /-----BEGIN CERTIFICATE-----[0-9A-Za-z+/=\s]+-----END CERTIFICATE-----/g
/** PayPal's certificate, and those between it and its root. */
const MAX_CERTIFICATES = 5

/** What an address served, in its order; the first is the one that signs. @returns `undefined` when there is none or too many */
export function readCertificates(text: string): readonly X509Certificate[] | undefined {
  const pems = text.match(PEM) ?? []
  if (pems.length === 0 || pems.length > MAX_CERTIFICATES) return undefined
  try {
    return pems.map((pem) => new X509Certificate(pem))
  } catch {
    return undefined
  }
}

/** The roots that are trusted: those of the configuration, else the public ones that the runtime brings. */
export function openRoots(pems: readonly string[] | undefined): () => readonly X509Certificate[] {
  let roots: readonly X509Certificate[] | undefined
  // Parsed at the first use: the public list is long, and a cold start has better to do.
  return () => {
    roots ??= (pems ?? rootCertificates).map((pem) => new X509Certificate(pem))
    return roots
  }
}

/**
 * The key of the first certificate, if each is issued by the next up to a trusted root and all are in their time at `at`.
 * @returns `undefined` for a chain that ends elsewhere, and for a key that is not RSA of 2048 bits
 */
export function trustedKeyOf(
  served: readonly X509Certificate[],
  roots: readonly X509Certificate[],
  at: Instant,
): RsaPublicKey | undefined {
  const [leaf] = served
  if (leaf === undefined || !leadsToRoot(leaf, served, roots, msOf(at))) return undefined
  return readRsaPublicKey(leaf.toString())
}

function leadsToRoot(
  leaf: X509Certificate,
  served: readonly X509Certificate[],
  roots: readonly X509Certificate[],
  atMs: number,
): boolean {
  let current = leaf
  for (let step = 0; step < MAX_CERTIFICATES; step += 1) {
    if (!isInTime(current, atMs)) return false
    const holder = current
    if (roots.some((root) => isIssuer(root, holder) && isInTime(root, atMs))) return true
    const next = served.find((certificate) => certificate !== holder && isIssuer(certificate, holder))
    if (next === undefined) return false
    current = next
  }
  return false
}

function isIssuer(issuer: X509Certificate, certificate: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

function isInTime({ validFrom, validTo }: X509Certificate, atMs: number): boolean {
  return Date.parse(validFrom) <= atMs && atMs <= Date.parse(validTo)
}
