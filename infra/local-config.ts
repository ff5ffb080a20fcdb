import { parseConfig } from './config.ts'
import type { StageConfig, StageInput } from './config-schema.ts'
import { SIMULATOR_ROOT_PEM } from './simulator-root.ts'

const localSettings = {
  stage: 'local',
  channels: [
    { account: { id: 'stripe', kind: 'stripe', livemode: false } },
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
    { account: { id: 'alipay', kind: 'alipay', appId: '2026000100010001', sellerId: '2088000000000001' } },
    { account: { id: 'wechatpay', kind: 'wechatpay', appId: 'wx0000000000000001', mchId: '1900000001' } },
    { account: { id: 'adyen', kind: 'adyen', merchantAccounts: ['BackstopLocal'], live: false } },
    {
      account: {
        id: 'paypal',
        kind: 'paypal',
        webhookId: '8PT597110X687430LKGECATA',
        sandbox: true,
        merchantId: 'BACKSTOPLOCAL1',
        certRootPems: [SIMULATOR_ROOT_PEM],
      },
    },
  ],
  // Port 9 discards: until the local host names its own merchant, nothing is delivered anywhere.
  merchant: { deliveryUrl: 'http://127.0.0.1:9', maxConcurrency: 5 },
} as const satisfies StageInput

/** The settings of the stage that runs on one machine, with accounts of the simulators. */
export function localConfig(): StageConfig {
  return parseConfig(localSettings)
}
