import { expect, it } from 'vitest'
import { secretKey } from '../../../modules/channels/hmac.ts'
import { openSealed } from '../../../modules/channels/wechatpay/aead.ts'
import { readVectors } from '../vector-cases.ts'

const inputs = readVectors('wechatpay').aead ?? []

it.each(inputs)(
  'content opens only with its tag: $id',
  ({ key, nonce, associated_data, ciphertext_base64, plaintext }) => {
    const sealed = { nonce, associatedData: associated_data, ciphertext: ciphertext_base64 }

    const opened = openSealed(sealed, [secretKey(Buffer.alloc(32)), secretKey(Buffer.from(key))])

    expect(opened?.toString() ?? null).toBe(plaintext)
  },
)

it('a changed byte, a cut, or another nonce leaves content closed', () => {
  const input = inputs[0] ?? expect.unreachable()
  const keys = [secretKey(Buffer.from(input.key))]
  const sealed = { nonce: input.nonce, associatedData: input.associated_data, ciphertext: input.ciphertext_base64 }
  const bytes = Buffer.from(input.ciphertext_base64, 'base64')

  for (let position = 0; position < bytes.length; position += 1) {
    const altered = Buffer.from(bytes)
    altered[position] = (altered[position] ?? 0) ^ 1
    expect(openSealed({ ...sealed, ciphertext: altered.toString('base64') }, keys)).toBeUndefined()
    expect(openSealed({ ...sealed, ciphertext: bytes.subarray(0, position).toString('base64') }, keys)).toBeUndefined()
  }
  expect(openSealed({ ...sealed, nonce: 'short' }, keys)).toBeUndefined()
  expect(openSealed({ ...sealed, nonce: 'x'.repeat(13) }, keys)).toBeUndefined()
  expect(openSealed({ ...sealed, ciphertext: 'not base64' }, keys)).toBeUndefined()
})
