// Checks that a delivery is Backstop's, unaltered and fresh (Standard Webhooks 1.0.0, scheme v1). Node 22.18 or newer:
//   WEBHOOK_SECRETS="whsec_…" node verify-delivery.ts <webhook-id> <webhook-timestamp> <webhook-signature> < body
import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'

const TOLERANCE_S = 300
/** With an empty key anybody could sign. */
const MIN_KEY_BYTES = 24

export interface DeliveryHeaders {
  readonly id: string
  readonly timestamp: string
  /** One or more signatures with a blank between: while the secret is being changed there are two. */
  readonly signature: string
}

/**
 * @param secrets `whsec_…`; while the secret is being changed, the old and the new one
 * @param body the very bytes that were received, before any parser saw them
 * @param nowS Unix seconds
 */
export function isGenuine(
  secrets: readonly string[],
  headers: DeliveryHeaders,
  body: Uint8Array,
  nowS: number,
): boolean {
  const { id, timestamp, signature } = headers
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowS - Number(timestamp)) > TOLERANCE_S) return false
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body])
  const given = signature.split(' ').filter((item) => item.startsWith('v1,'))
  return secrets.some((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    if (key.length < MIN_KEY_BYTES) throw new RangeError('A secret is missing or cut short.')
    const expected = createHmac('sha256', key).update(signed).digest()
    return given.some((item) => {
      const bytes = Buffer.from(item.slice('v1,'.length), 'base64')
      return bytes.length === expected.length && timingSafeEqual(bytes, expected)
    })
  })
}

if (import.meta.filename === process.argv[1]) {
  const [id = '', timestamp = '', signature = ''] = process.argv.slice(2)
  // biome-ignore lint/style/noProcessEnv: the example stands alone and has no settings of its own
  const secrets = (process.env['WEBHOOK_SECRETS'] ?? '').split(' ').filter((secret) => secret !== '')
  const genuine = isGenuine(secrets, { id, timestamp, signature }, readFileSync(0), Date.now() / 1000)
  console.log(genuine ? 'genuine' : 'refused')
  process.exitCode = genuine ? 0 : 1
}
