import type { ChannelAccount } from '../../modules/channels/account.ts'
import { type OrderNo, type OutTradeNo, parseOutTradeNo } from '../../modules/core/ids.ts'
import { invalidField } from '../../modules/http-api/problem.ts'

/** Where the channel's own rule is wider than the ledger's keys (`parseOutTradeNo`). */
const ours = { form: /^[0-9A-Za-z_\-*|@.:]{1,80}$/, words: '1 to 80 letters, digits or any of _-*|@.:' }

/** What each kind of channel takes as our number of a payment. Source: docs/design/keys-and-rows.md; docs/channels/README.md */
const rules: { readonly [Kind in ChannelAccount['kind']]: { readonly form: RegExp; readonly words: string } } = {
  alipay: { form: /^[0-9A-Za-z_]{1,64}$/, words: '1 to 64 letters, digits or _' },
  wechatpay: { form: /^[0-9A-Za-z_\-*|]{6,32}$/, words: '6 to 32 letters, digits or any of _-*|' },
  // Adyen signs its fields joined by colons and escapes none: a colon in one could be read as the end of it.
  adyen: { form: /^[0-9A-Za-z_\-*|@.]{1,80}$/, words: '1 to 80 letters, digits or any of _-*|@.' },
  paypal: ours,
  stripe: ours,
  'standard-webhooks': ours,
}

/** @throws ProblemError VALIDATION_FAILED when the channel would not take the number */
export function checkOutTradeNo({ kind }: Pick<ChannelAccount, 'kind'>, outTradeNo: OutTradeNo): void {
  const { form, words } = rules[kind]
  if (!form.test(outTradeNo)) throw invalidField('outTradeNo', `must be ${words}, as ${kind} takes no other`)
}

/**
 * The first of orderNo, orderNo_2, orderNo_3 … that is not in use.
 * @throws ProblemError VALIDATION_FAILED when the channel takes no number of this form
 */
export function nextOutTradeNo(account: ChannelAccount, orderNo: OrderNo, used: ReadonlySet<string>): OutTradeNo {
  for (let count = 1; ; count++) {
    const text = count === 1 ? orderNo : `${orderNo}_${count}`
    if (used.has(text)) continue
    const outTradeNo = parseOutTradeNo(text)
    if (outTradeNo === undefined || !rules[account.kind].form.test(outTradeNo)) {
      const { words } = rules[account.kind]
      throw invalidField('outTradeNo', `must be given: ${account.kind} takes ${words}, which '${text}' is not`)
    }
    return outTradeNo
  }
}
