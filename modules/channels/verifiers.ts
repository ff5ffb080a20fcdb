import type { Instant } from '../core/instant.ts'
import { type SendRequest, sendRequest } from '../outgoing/http/send-request.ts'
import type { ChannelAccount, PaypalAccount } from './account.ts'
import { adyenVerifier } from './adyen/verify.ts'
import { alipayVerifier } from './alipay/verify.ts'
import type { CallbackRequest, CallbackVerifier, ChannelAnswer, Verification } from './channel.ts'
import { openCertificateCache } from './paypal/certificate-cache.ts'
import { openRoots } from './paypal/certificate-chain.ts'
import { checkTransmission } from './paypal/transmission.ts'
import { paypalVerifier } from './paypal/verify.ts'
import { standardWebhooksVerifier } from './standard-webhooks/verify.ts'
import { stripeVerifier } from './stripe/verify.ts'
import { wechatpayVerifier } from './wechatpay/verify.ts'

/** Judges one request. Holds an account and the keys that its secret had; kept as long as the secret is. */
export type Verify = (request: CallbackRequest, receivedAt: Instant) => Verification

/** A channel's verifier bound to one account, whatever the form of its keys. */
export interface AccountVerifier {
  /** Reads the secret's text once. @throws KeyFormatError naming the field that is wrong */
  openKeys(secret: string): Verify
  /**
   * Fetches what `Verify` will need and does not hold (PayPal's certificate); to be awaited before it. Absent where nothing is
   * ever fetched. Never throws, takes 2 s at most, and asks one address at most once a minute.
   */
  prepare?(request: CallbackRequest): Promise<void>
  readonly ack: ChannelAnswer
  readonly refusal: ChannelAnswer
}

export interface VerifierDeps {
  readonly http: SendRequest
  readonly nowMs: () => number
}

const REAL: VerifierDeps = { http: sendRequest, nowMs: Date.now }

/** The verifier of an account's kind. Never imports a parser: this is what ingress bundles. */
export function verifierOf(account: ChannelAccount, deps: VerifierDeps = REAL): AccountVerifier {
  switch (account.kind) {
    case 'stripe':
      return bind(stripeVerifier, account)
    case 'standard-webhooks':
      return bind(standardWebhooksVerifier, account)
    case 'alipay':
      return bind(alipayVerifier, account)
    case 'wechatpay':
      return bind(wechatpayVerifier, account)
    case 'adyen':
      return bind(adyenVerifier, account)
    case 'paypal':
      return bindPaypal(account, deps)
    default:
      return account satisfies never
  }
}

function bindPaypal(account: PaypalAccount, deps: VerifierDeps): AccountVerifier {
  const roots = openRoots(account.certRootPems)
  const certificates = openCertificateCache(account, { ...deps, roots })
  return {
    ...bind(paypalVerifier(certificates, roots), account),
    prepare: async ({ headers }) => {
      const transmission = checkTransmission(headers, account)
      if (typeof transmission !== 'string') await certificates.prepare(transmission.certificateUrl)
    },
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
