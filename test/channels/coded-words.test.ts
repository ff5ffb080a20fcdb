import { expect, it } from 'vitest'
import { ADYEN_EVENTS } from '../../modules/channels/adyen/events.ts'
import { ADYEN_ERROR_TYPES } from '../../modules/channels/adyen/states.ts'
import {
  ALIPAY_NOT_CLOSABLE,
  ALIPAY_NOTICES,
  ALIPAY_STATES,
  ALIPAY_SUB_CODES,
} from '../../modules/channels/alipay/states.ts'
import { PAYPAL_CAPTURE_STATES, PAYPAL_CODES, PAYPAL_ORDER_STATES } from '../../modules/channels/paypal/states.ts'
import { STRIPE_RECORDED } from '../../modules/channels/stripe/recorded-types.ts'
import { STRIPE_CODES, STRIPE_SESSION_STATES, STRIPE_STATES } from '../../modules/channels/stripe/states.ts'
import { WECHATPAY_RECORDED } from '../../modules/channels/wechatpay/events.ts'
import { WECHATPAY_CODES, WECHATPAY_STATES } from '../../modules/channels/wechatpay/states.ts'
import { documentedWords } from '../support/documented-words.ts'

const STATES = 'Trade states'
const OF_QUERY = 'Result codes of query'
const OF_CLOSE = 'Result codes of close'

const TABLES: readonly (readonly [channel: string, section: string, codes: Iterable<string>])[] = [
  ['alipay', 'Event types', ALIPAY_NOTICES.keys()],
  ['alipay', STATES, ALIPAY_STATES.keys()],
  ['alipay', OF_QUERY, ALIPAY_SUB_CODES.keys()],
  ['alipay', OF_CLOSE, ALIPAY_NOT_CLOSABLE.keys()],
  ['wechatpay', 'Event types', WECHATPAY_RECORDED],
  ['wechatpay', STATES, WECHATPAY_STATES.keys()],
  ['wechatpay', OF_QUERY, WECHATPAY_CODES.keys()],
  ['stripe', 'Event types', STRIPE_RECORDED],
  ['stripe', STATES, STRIPE_STATES.keys()],
  ['stripe', STATES, STRIPE_SESSION_STATES.keys()],
  ['stripe', OF_QUERY, STRIPE_CODES.keys()],
  ['adyen', 'Event types', ADYEN_EVENTS.keys()],
  ['adyen', OF_CLOSE, ADYEN_ERROR_TYPES.keys()],
  ['paypal', STATES, PAYPAL_ORDER_STATES.keys()],
  ['paypal', STATES, PAYPAL_CAPTURE_STATES.keys()],
  ['paypal', OF_QUERY, PAYPAL_CODES.keys()],
]

/** Alipay's tables hold the tail of a sub-code: `TRADE_NOT_EXIST` of `ACQ.TRADE_NOT_EXIST`. */
function namesOf(code: string): readonly string[] {
  return [code, code.split('.').at(-1) ?? code]
}

it.each(TABLES)('%s: every code of its own tables stands on its page under %s', (channel, section, codes) => {
  const documented = documentedWords(`docs/channels/${channel}.md`, `## ${section}`).flatMap(({ code }) =>
    namesOf(code),
  )
  const coded = [...codes]

  expect(coded.length).toBeGreaterThan(0)
  expect(coded.filter((code) => !documented.includes(code))).toEqual([])
})
