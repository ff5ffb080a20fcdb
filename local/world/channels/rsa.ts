import { createPrivateKey, createPublicKey, generateKeyPair, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'

const generate = promisify(generateKeyPair)

/** A new RSA-2048 private key as PKCS#8 PEM; its public key is derived from it. */
export async function makeRsaKey(): Promise<string> {
  const { privateKey } = await generate('rsa', { modulusLength: 2048 })
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
}

/** The public half as SubjectPublicKeyInfo PEM. */
export function publicPemOf(privatePem: string): string {
  return createPublicKey(createPrivateKey(privatePem)).export({ format: 'pem', type: 'spki' }).toString()
}

/** SHA256withRSA (PKCS#1 v1.5), base64. */
export function signRsa(privatePem: string, message: string | Uint8Array): string {
  return sign('sha256', Buffer.from(message), privatePem).toString('base64')
}

/** Whether `signature` is of the owner of `privatePem`. */
export function isRsaSigned(privatePem: string, message: string | Uint8Array, signature: string): boolean {
  return verify('sha256', Buffer.from(message), publicPemOf(privatePem), Buffer.from(signature, 'base64'))
}
