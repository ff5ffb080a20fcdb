import { createCipheriv, randomBytes } from 'node:crypto'

/** AES-256-GCM with the tag at the end of the ciphertext. The nonce is new for each send, as it must be for one key. */
export function seal(content: string, associatedData: string, apiV3Key: string) {
  const nonce = randomBytes(6).toString('hex')
  const cipher = createCipheriv('aes-256-gcm', apiV3Key, nonce)
  cipher.setAAD(Buffer.from(associatedData))
  const sealed = Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()])
  return {
    algorithm: 'AEAD_AES_256_GCM',
    ciphertext: sealed.toString('base64'),
    associated_data: associatedData,
    nonce,
  }
}
