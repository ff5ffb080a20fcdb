import type { Instant } from '../core/instant.ts'
import type { ChannelAccount } from './account.ts'
import { alipayVerifier } from './alipay/verify.ts'
import type { CallbackRequest, CallbackVerifier, ChannelAnswer, Verification } from './channel.ts'
import { standardWebhooksVerifier } from './standard-webhooks/verify.ts'
import { stripeVerifier } from './stripe/verify.ts'
import { wechatpayVerifier } from './wechatpay/verify.ts'

/** Judges one request. Holds an account and the keys that its secret had; kept as long as the secret is. */
export type Verify = (request: CallbackRequest, receivedAt: Instant) => Verification

/** A channel's verifier bound to one account, whatever the form of its keys. */
export interface AccountVerifier {
  /** Reads the secret's text once. @throws KeyFormatError naming the field that is wrong */
  openKeys(secret: string): Verify
  readonly ack: ChannelAnswer
  readonly refusal: ChannelAnswer
}

/** The verifier of an account's kind. Never imports a parser: this is what ingress bundles. */
export function verifierOf(account: ChannelAccount): AccountVerifier {
  switch (account.kind) {
    case 'stripe':
      return bind(stripeVerifier, account)
    case 'standard-webhooks':
      return bind(standardWebhooksVerifier, account)
    case 'alipay':
      return bind(alipayVerifier, account)
    case 'wechatpay':
      return bind(wechatpayVerifier, account)
    default:
      return account satisfies never
  }
}

function bind<Account extends ChannelAccount, Keys>(
  verifier: CallbackVerifier<Account, Keys>,
  account: Account,
): AccountVerifier {
  return {
    ack: verifier.ack,
    refusal: verifier.refusal,
    openKeys(secret) {
      const keys = verifier.readKeys(secret)
      return (request, receivedAt) => verifier.verify(request, account, keys, receivedAt)
    },
  }
}
