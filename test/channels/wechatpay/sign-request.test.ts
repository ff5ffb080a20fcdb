import { createPublicKey, createVerify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { authorizationOf, messageOfRequest } from '../../../modules/channels/wechatpay/sign-request.ts'
import { PAIR, PUBLIC_PEM } from './signed-notice.ts'

interface SigningVector {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly timestamp: string
  readonly nonce: string
  readonly body: string
  readonly message: string
  readonly signature_base64: string
  readonly merchant_public_key_pem: string
}

const file = new URL('../../fixtures/wechatpay/vectors.json', import.meta.url)
const { request_signing: vectors } = JSON.parse(readFileSync(file, 'utf8')) as { request_signing: SigningVector[] }

it.each(vectors)('$id: our message is the one that was signed', (vector) => {
  const request = {
    method: vector.method,
    pathWithQuery: vector.url,
    timestampS: Number(vector.timestamp),
    nonce: vector.nonce,
    body: vector.body,
  }

  const message = messageOfRequest(request)

  expect(message).toBe(vector.message)
  const theirs = createVerify('sha256').update(message)
  expect(theirs.verify(createPublicKey(vector.merchant_public_key_pem), vector.signature_base64, 'base64')).toBe(true)
  const ours = /signature="([^"]+)"/.exec(authorizationOf(request, '1', 'S', PAIR.privateKey))?.[1] ?? ''
  expect(createVerify('sha256').update(message).verify(PUBLIC_PEM, ours, 'base64')).toBe(true)
})
