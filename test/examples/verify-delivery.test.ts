import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { isGenuine } from '../../examples/verify-delivery/verify-delivery.ts'
import { readSigningKeys, signWebhook } from '../../modules/outgoing/webhook/sign-webhook.ts'

const NOW_S = 1_772_352_000
const aSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`
const secret = aSecret()
const body = Buffer.from('{"type":"order.deliver","data":{"sku":"茶"}}')

/** What Backstop sends, as the merchant's endpoint receives it. */
function sign(secrets: readonly string[], timestampS = NOW_S) {
  const headers = signWebhook(readSigningKeys(JSON.stringify({ secrets })), 'dlv_A', timestampS, body.toString())
  return {
    id: headers['webhook-id'],
    timestamp: headers['webhook-timestamp'],
    signature: headers['webhook-signature'],
  }
}

it('a delivery of ours is genuine to the example, also while a secret is being changed', () => {
  const before = aSecret()
  const rotating = sign([secret, before])

  expect(isGenuine([secret], sign([secret]), body, NOW_S)).toBe(true)
  expect(isGenuine([before], rotating, body, NOW_S)).toBe(true)
  expect(isGenuine([secret], rotating, body, NOW_S)).toBe(true)
})

it('the example refuses another secret, another body and another id', () => {
  const headers = sign([secret])

  expect(isGenuine([aSecret()], headers, body, NOW_S)).toBe(false)
  expect(isGenuine([secret], headers, Buffer.from('{}'), NOW_S)).toBe(false)
  expect(isGenuine([secret], { ...headers, id: 'dlv_B' }, body, NOW_S)).toBe(false)
})

it('the example refuses a time that is too old, too new or no number', () => {
  expect(isGenuine([secret], sign([secret], NOW_S - 301), body, NOW_S)).toBe(false)
  expect(isGenuine([secret], sign([secret], NOW_S + 301), body, NOW_S)).toBe(false)
  expect(isGenuine([secret], { ...sign([secret]), timestamp: '17x' }, body, NOW_S)).toBe(false)
})

it('the example fails by name on an empty secret, with which anybody could sign', () => {
  expect(() => isGenuine([''], sign([secret]), body, NOW_S)).toThrow(RangeError)
})
