import type { ChannelAccount } from './account.ts'
import { readAdyenKeys } from './adyen/keys.ts'
import { parseAdyen } from './adyen/parse.ts'
import { readAlipayKeys } from './alipay/keys.ts'
import { parseAlipay } from './alipay/parse.ts'
import type { CallbackParser, Parsed, VerifiedCallback } from './channel.ts'
import { readPaypalKeys } from './paypal/keys.ts'
import { parsePaypal } from './paypal/parse.ts'
import { readStandardWebhooksKeys } from './standard-webhooks/keys.ts'
import { parseStandardWebhooks } from './standard-webhooks/parse.ts'
import { readStripeKeys } from './stripe/keys.ts'
import { parseStripe } from './stripe/parse.ts'
import { readWechatpayKeys } from './wechatpay/keys.ts'
import { parseWechatpay } from './wechatpay/parse.ts'

/** Reads one verified callback of an account. */
export type Parse = (verified: VerifiedCallback) => Parsed

/** A channel's parser bound to one account, whatever the form of its keys. */
export interface AccountParser {
  /** Reads the secret's text once. @throws KeyFormatError naming the field that is wrong */
  openKeys(secret: string): Parse
}

/** The parser of an account's kind. */
export function parserOf(account: ChannelAccount): AccountParser {
  switch (account.kind) {
    case 'stripe':
      return bind(parseStripe, readStripeKeys, account)
    case 'standard-webhooks':
      return bind(parseStandardWebhooks, readStandardWebhooksKeys, account)
    case 'alipay':
      return bind(parseAlipay, readAlipayKeys, account)
    case 'wechatpay':
      return bind(parseWechatpay, readWechatpayKeys, account)
    case 'adyen':
      return bind(parseAdyen, readAdyenKeys, account)
    case 'paypal':
      return bind(parsePaypal, readPaypalKeys, account)
    default:
      return account satisfies never
  }
}

function bind<Account extends ChannelAccount, Keys>(
  parse: CallbackParser<Account, Keys>,
  readKeys: (secret: string) => Keys,
  account: Account,
): AccountParser {
  return {
    openKeys(secret) {
      const keys = readKeys(secret)
      return (verified) => parse(verified, account, keys)
    },
  }
}
