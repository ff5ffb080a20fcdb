import type { OperationId } from '../../functions/orders/routes.ts'

type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

/** Request bodies as a merchant sends them; a test has each accepted by its route's schema. */
export const requestExamples: Readonly<Partial<Record<OperationId, Examples>>> = {
  putOrder: {
    order: {
      summary: 'Two game cards for 88.00 yuan.',
      value: {
        amount: 8800,
        currency: 'CNY',
        lines: [{ sku: 'GAME-CARD-50', quantity: 2 }],
        attributes: { buyer: 'b-1024' },
      },
    },
  },
  startPayAttempt: {
    first: { summary: "Under the order's own number.", value: { channel: 'alipay' } },
    named: {
      summary: 'Under a number of your own: safe to send again.',
      value: { channel: 'stripe', outTradeNo: 'SO-20260301-0001_card', channelRef: 'pi_3MtwBwLkdIwHu7ix28a3tqPa' },
    },
  },
  addChannelRef: { ref: { summary: "Stripe's number.", value: { channelRef: 'pi_3MtwBwLkdIwHu7ix28a3tqPa' } } },
  replayNotices: { gap: { summary: 'From the first missing one on.', value: { fromSequence: 3 } } },
  createTask: {
    query: {
      summary: 'Ask the channel what became of a try.',
      value: {
        bizType: 'QUERY_PAYMENT',
        orderNo: 'SO-20260301-0001',
        channel: 'alipay',
        outTradeNo: 'SO-20260301-0001',
      },
    },
    close: { summary: 'Close an unpaid order.', value: { bizType: 'CLOSE_ORDER', orderNo: 'SO-20260301-0001' } },
  },
  putStock: { goods: { summary: 'A hundred pieces.', value: { onHand: 100 } } },
  addCodes: { codes: { summary: 'Two codes.', value: { codes: ['AAAA-BBBB-CCCC', 'DDDD-EEEE-FFFF'] } } },
}
