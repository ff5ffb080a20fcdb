import type { PaypalAccount } from '../account.ts'

const LIVE = ['https://api.paypal.com', 'https://api-m.paypal.com']
const SANDBOX = ['https://api.sandbox.paypal.com', 'https://api-m.sandbox.paypal.com']
/** One name and nothing after it: no dots at its start, no second slash, no query, no fragment. */
const PATH = /^\/v1\/notifications\/certs\/[0-9A-Za-z_-][0-9A-Za-z._-]{0,127}$/

/**
 * The address of a certificate, if it is one that may be fetched: exactly `<origin><path>`, compared as text, since a suffix of the
 * host would be forgeable. Where the account has an apiBase of its own, that origin counts beside PayPal's: a simulator names its
 * own, and behind a proxy PayPal goes on naming its own.
 * Source: docs/channels/paypal.md, Callback
 */
export function parseCertificateUrl(text: string, account: PaypalAccount): URL | undefined {
  const own = account.sandbox ? SANDBOX : LIVE
  const origins = account.apiBase === undefined ? own : [...own, new URL(account.apiBase).origin]
  const origin = origins.find((allowed) => text.startsWith(`${allowed}/`))
  return origin !== undefined && PATH.test(text.slice(origin.length)) ? new URL(text) : undefined
}
