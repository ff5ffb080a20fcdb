import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { calculateJwkThumbprint, exportJWK, type JWK } from 'jose'

/** The issuer's RSA key pair. */
export interface SigningKey {
  kid: string
  privateKey: KeyObject
  publicKey: KeyObject
  /** What stands in the key set: public parts only. */
  jwk: JWK
}

/** Reads the key from a PEM file, or makes one there that only its owner can read. */
export async function openSigningKey(path: string): Promise<SigningKey> {
  const privateKey = createPrivateKey(readPem(path) ?? makePem(path))
  const publicKey = createPublicKey(privateKey)
  const publicJwk = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(publicJwk)
  return { kid, privateKey, publicKey, jwk: { ...publicJwk, kid, alg: 'RS256', use: 'sig' } }
}

function readPem(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

function makePem(path: string): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  // Renamed into place whole: a kill in between must not leave half a key.
  writeFileSync(`${path}.new`, pem, { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return pem
}
