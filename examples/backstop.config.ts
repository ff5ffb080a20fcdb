import { defineConfig } from 'backstop/config'

/**
 * The settings of one stage. Copy it to backstop.config.ts (or let `npm run init` write that), put your own accounts and addresses in,
 * take out the channels that you do not have. docs/deploy.md says what else may be set.
 */
export default defineConfig({
  stage: 'prod',
  alarmEmail: 'payments@example.com',
  merchant: {
    deliveryUrl: 'https://shop.example.com/backstop/deliveries',
  },
  channels: [
    {
      account: { id: 'stripe', kind: 'stripe', livemode: true },
    },
    {
      account: { id: 'alipay', kind: 'alipay', appId: '2021000000000000', sellerId: '2088000000000000' },
    },
    {
      account: { id: 'wechatpay', kind: 'wechatpay', appId: 'wx0000000000000000', mchId: '1900000000' },
    },
    {
      account: {
        id: 'adyen',
        kind: 'adyen',
        live: true,
        merchantAccounts: ['YourMerchantAccount'],
        apiBase: 'https://prefix-checkout.example.com/checkout',
      },
    },
    {
      account: { id: 'paypal', kind: 'paypal', sandbox: false, webhookId: 'YourWebhookId' },
    },
    {
      account: {
        id: 'partner',
        kind: 'standard-webhooks',
        scheme: 'v1',
        mapping: {
          type: 'type',
          outTradeNo: 'data.order_no',
          channelTxnId: 'data.transaction_id',
          amount: 'data.amount',
          currency: 'data.currency',
          paidAt: 'timestamp',
          unit: 'minor',
          types: {
            payment: ['payment.succeeded'],
            failed: ['payment.failed'],
            closed: ['payment.closed'],
            refund: ['payment.refunded'],
            dispute: ['payment.disputed'],
          },
        },
      },
    },
  ],
})
