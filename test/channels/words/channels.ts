import { adyenWords } from './adyen.ts'
import { alipayWords } from './alipay.ts'
import { paypalWords } from './paypal.ts'
import { standardWebhooksWords } from './standard-webhooks.ts'
import { stripeWords } from './stripe.ts'
import { wechatpayWords } from './wechatpay.ts'
import type { ChannelWords } from './word-of.ts'

/** Every kind of channel, by the name of its page and of its fixtures. */
export const CHANNELS: readonly (readonly [channel: string, words: ChannelWords])[] = [
  ['alipay', alipayWords],
  ['wechatpay', wechatpayWords],
  ['stripe', stripeWords],
  ['adyen', adyenWords],
  ['paypal', paypalWords],
  ['standard-webhooks', standardWebhooksWords],
]
