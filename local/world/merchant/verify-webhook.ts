import { timingSafeEqual } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

const TOLERANCE_S = 300

export type WebhookHeaders = Readonly<Record<string, string | string[] | undefined>>

/**
 * Checks a delivery with the signer of the reference library. Its own `verify` asks the machine for the time, which a leaping clock
 * is not, so the age is judged here.
 * @param secretText `{"secrets": ["whsec_…"]}` as Backstop holds it, or one bare `whsec_…`
 * @returns the webhook's id, or `undefined` when it is not genuine or too old
 */
export function verifyWebhook(
  secretText: string,
  headers: WebhookHeaders,
  body: Buffer,
  nowMs: number,
): string | undefined {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return undefined
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowMs / 1000 - Number(timestamp)) > TOLERANCE_S) return undefined
  const given = signatures.split(' ')
  const isGenuine = readSecrets(secretText).some((secret) => {
    const expected = new Webhook(secret).sign(id, new Date(Number(timestamp) * 1000), body)
    return given.some((signature) => isSame(signature, expected))
  })
  return isGenuine ? id : undefined
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

function readSecrets(text: string): string[] {
  if (!text.startsWith('{')) return [text]
  const { secrets } = JSON.parse(text)
  return Array.isArray(secrets) ? secrets.map(String) : []
}
