import type { WechatpayAccount } from '../../../../modules/channels/account.ts'
import { formatBeijingOffset } from '../beijing.ts'
import type { Payment } from '../payment.ts'

/** A transaction as the notice holds it and the query shows it. Source: docs/channels/wechatpay.md, Fields and Query */
export function toTransaction(account: WechatpayAccount, payment: Payment): object {
  const total = payment.paidAmount ?? payment.amount
  const isPaid = payment.status === 'paid'
  return {
    ...(isPaid && {
      transaction_id: payment.channelTxnId,
      trade_type: 'NATIVE',
      bank_type: 'OTHERS',
      success_time: formatBeijingOffset(payment.paidAt ?? payment.createdAt),
      payer: { openid: 'oUpF8uMuAJO_M2pxb1Q9zNjWeS6o' },
    }),
    amount: { total, currency: 'CNY', ...(isPaid && { payer_total: total, payer_currency: 'CNY' }) },
    appid: account.appId,
    attach: '',
    mchid: account.mchId,
    out_trade_no: payment.outTradeNo,
    promotion_detail: [],
    trade_state: { open: 'NOTPAY', paid: 'SUCCESS', closed: 'CLOSED' }[payment.status],
    trade_state_desc: { open: '订单未支付', paid: '支付成功', closed: '订单已关闭' }[payment.status],
  }
}
