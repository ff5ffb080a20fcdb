import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeAnyBase64, decodeBase64 } from '../../modules/channels/base64.ts'

it('what the platform encodes is decoded, at its own length only', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(300), (bytes, length) => {
      const text = Buffer.from(bytes).toString('base64')
      expect(decodeAnyBase64(text)).toEqual(Buffer.from(bytes))
      expect(decodeBase64(text, bytes.length)).toEqual(Buffer.from(bytes))
      if (Math.ceil(length / 3) !== Math.ceil(bytes.length / 3)) expect(decodeBase64(text, length)).toBeUndefined()
    }),
  )
})

it.each(['QUJD\n', ' QUJD', 'QU JD', 'QUJ', 'QUI', 'QUJ=', 'QQ=', 'QQ', 'QR==', 'QUJD====', 'QU-_', 'QU*D', 'QUJDé'])(
  '%j is no base64, though the decoder of Node reads it',
  (text) => {
    expect(decodeAnyBase64(text)).toBeUndefined()
  },
)
