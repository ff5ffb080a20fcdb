import type { Instant } from '../../core/instant.ts'
import type { StripeAccount } from '../account.ts'
import { type CallbackRequest, type CallbackVerifier, proveVerified, type Verification } from '../channel.ts'
import { matchHmac } from '../hmac.ts'
import { parseJsonObject } from '../json.ts'
import { isWithinTolerance } from '../signed-time.ts'
import { readStripeKeys, type StripeKeys } from './keys.ts'
import { parseSignatureHeader } from './signature-header.ts'

/** Stripe's callback check. Source: docs/channels/stripe.md, Callback */
export const stripeVerifier: CallbackVerifier<StripeAccount, StripeKeys> = {
  readKeys: readStripeKeys,
  verify: verifyStripe,
  ack: { status: 200, headers: {}, body: '' },
  refusal: { status: 400, headers: {}, body: '' },
}

function verifyStripe(
  request: CallbackRequest,
  account: StripeAccount,
  keys: StripeKeys,
  receivedAt: Instant,
): Verification {
  const text = request.headers['stripe-signature']
  if (text === undefined) return { ok: false, reason: 'missing-header' }
  const header = parseSignatureHeader(text)
  if (header === undefined) return { ok: false, reason: 'malformed' }
  if (!header.hasV1) return { ok: false, reason: 'not-allowed' } // v0 alone is a downgrade

  const position = matchHmac(keys.signingSecrets, [header.timestamp, '.', request.body], header.signatures)
  if (position === undefined) return { ok: false, reason: 'bad-signature' }
  if (!isWithinTolerance(header.signedSeconds, receivedAt)) return { ok: false, reason: 'out-of-tolerance' }
  if (!isOurs(request.body, account)) return { ok: false, reason: 'not-ours' }
  return {
    ok: true,
    verified: proveVerified({
      channel: account.id,
      receivedAt,
      keyId: String(position),
      headers: { 'stripe-signature': text },
      body: request.body,
    }),
  }
}

// A secret belongs to one endpoint and one mode, so an event that names no mode at all is still of ours.
function isOurs(body: Buffer, account: StripeAccount): boolean {
  const event = parseJsonObject(body) ?? {}
  const livemode = event['livemode'] ?? account.livemode
  return livemode === account.livemode && (event['account'] ?? undefined) === account.account
}
