import { openRandom, pick } from './random.ts'

/** What goes wrong with one order. */
export const accidents = [
  'none',
  'callback doubled',
  'callback late',
  'callback tampered',
  'every callback lost',
  'callback before order',
  'order never comes',
  'order comes after orphan',
  'wrong amount',
  'two channels paid',
  'never paid',
  'paid after close',
  'first channel fails',
] as const
export type Accident = (typeof accidents)[number]

export type DemoChannel = 'stripe' | 'partner' | 'alipay' | 'wechatpay' | 'adyen' | 'paypal'

/** One order of the demonstration, wholly decided by the seed. */
export interface PlannedOrder {
  readonly orderNo: string
  readonly channel: DemoChannel
  readonly otherChannel: DemoChannel
  readonly accident: Accident
  readonly amount: number
  readonly currency: string
  readonly sku: string
  readonly quantity: number
  /** From the start of the demonstration. */
  readonly startsAtMs: number
  /** From the order's own start. */
  readonly paysAfterMs: number
}

export const MINUTE_MS = 60_000
export const MAX_QUANTITY = 3
/** Orders start within this time, so that they meet each other's outages. */
const SPREAD_MS = 120 * MINUTE_MS

/** What an order is in that begins at each channel, and where it could be paid a second time: two of them take yuan only. */
const channels: Readonly<Record<DemoChannel, { readonly currency: string; readonly others: readonly DemoChannel[] }>> =
  {
    stripe: { currency: 'USD', others: ['partner', 'adyen', 'paypal'] },
    partner: { currency: 'CNY', others: ['alipay', 'wechatpay', 'adyen'] },
    alipay: { currency: 'CNY', others: ['partner', 'wechatpay'] },
    wechatpay: { currency: 'CNY', others: ['partner', 'alipay'] },
    adyen: { currency: 'EUR', others: ['stripe', 'partner', 'paypal'] },
    paypal: { currency: 'USD', others: ['stripe', 'partner', 'adyen'] },
  }
const channelNames: readonly DemoChannel[] = ['stripe', 'partner', 'alipay', 'wechatpay', 'adyen', 'paypal']

/** Channels that nobody can ask: what they never tell, only the bill knows. */
export const UNASKED: ReadonlySet<string> = new Set<DemoChannel>(['partner', 'adyen'])

/** The accident of a scenario's name, `paid-after-close`; `undefined` when there is none of that name. */
export function accidentOf(scenario: string): Accident | undefined {
  return accidents.find((accident) => accident.replaceAll(' ', '-') === scenario)
}

/**
 * The orders of a seed. The same seed and count give the same plan.
 * @param only every order has this accident; without it they are drawn
 */
export function planOrders(seed: number, count: number, only?: Accident): readonly PlannedOrder[] {
  const random = openRandom(seed)
  const anyOf = <T>(values: readonly T[]): T =>
    pick(
      random,
      values.map((value) => [1, value] as const),
    )
  return Array.from({ length: count }, (_, index) => {
    const channel = anyOf(channelNames)
    const { currency, others } = channels[channel]
    const otherChannel = anyOf(others)
    return {
      orderNo: `D${seed}_${String(index + 1).padStart(5, '0')}`,
      channel,
      otherChannel,
      accident:
        only ??
        pick<Accident>(random, [
          [34, 'none'],
          [8, 'callback doubled'],
          [8, 'callback late'],
          [6, 'callback tampered'],
          [6, 'every callback lost'],
          [7, 'callback before order'],
          [3, 'order never comes'],
          [3, 'order comes after orphan'],
          [6, 'wrong amount'],
          [8, 'two channels paid'],
          [6, 'never paid'],
          [6, 'paid after close'],
          [3, 'first channel fails'],
        ]),
      amount: 100 + Math.floor(random() * 100_000),
      currency,
      sku: anyOf(['tea', 'cup', 'gift-card']),
      quantity: 1 + Math.floor(random() * MAX_QUANTITY),
      startsAtMs: Math.floor(random() * SPREAD_MS),
      paysAfterMs: 5_000 + Math.floor(random() * 5 * MINUTE_MS),
    }
  })
}
