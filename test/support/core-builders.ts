import { backOff, type Ladder } from '../../modules/core/back-off.ts'
import type { BookingFile, PaymentEvent } from '../../modules/core/decide-booking.ts'
import { parseChannelId, parseChannelTxnId, parseOrderNo, parseOutTradeNo } from '../../modules/core/ids.ts'
import { parseInstant } from '../../modules/core/instant.ts'
import { type Money, parseCurrency, parseMinorUnits } from '../../modules/core/money.ts'
import type { OrderStatus } from '../../modules/core/order.ts'

export type FileOrder = NonNullable<BookingFile['order']>
export type FilePayAttempt = BookingFile['payAttempts'][number]
export type FilePayment = NonNullable<BookingFile['payment']>

export const payableStatuses = ['WAIT_PAY', 'PAYING', 'PAY_FAILED'] as const satisfies readonly OrderStatus[]
export const paidStatuses = [
  'PAID',
  'DELIVERED',
  'COMPLETED',
  'REFUNDING',
  'REFUNDED',
] as const satisfies readonly OrderStatus[]
export const orderStatuses = [...payableStatuses, ...paidStatuses, 'CLOSED'] as const

/** The parser's value. @throws Error when a test asks for something that the parser refuses */
export function sure<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('A test builds a value that its parser refuses.')
  return value
}

export const anOrderNo = (text = 'ORDER-1') => sure(parseOrderNo(text))
export const anOutTradeNo = (text = 'ORDER-1') => sure(parseOutTradeNo(text))
export const aChannel = (text = 'alipay') => sure(parseChannelId(text))
export const aTxn = (text = 'txn-1') => sure(parseChannelTxnId(text))
export const anInstant = (text = '2026-03-01T08:00:00.000Z') => sure(parseInstant(text))

/** Minor units: `money(8800)` is 88.00 CNY. */
export const money = (amount = 8800, currency = 'CNY'): Money => ({
  amount: sure(parseMinorUnits(amount)),
  currency: sure(parseCurrency(currency)),
})

export const anOrder = (change: Partial<FileOrder> = {}): FileOrder => ({
  orderNo: anOrderNo(),
  status: 'PAYING',
  money: money(),
  ...change,
})

export const aPayAttempt = (change: Partial<FilePayAttempt> = {}): FilePayAttempt => ({
  channel: aChannel(),
  outTradeNo: anOutTradeNo(),
  state: 'OPEN',
  ...change,
})

export const aPayment = (change: Partial<FilePayment> = {}): FilePayment => ({
  orderNo: anOrderNo(),
  money: money(),
  role: 'APPLIED',
  ...change,
})

/** An order being paid by one open payAttempt, and no payment yet. */
export const aFile = (change: Partial<BookingFile> = {}): BookingFile => ({
  order: anOrder(),
  payAttempts: [aPayAttempt()],
  ...change,
})

export const aPaymentEvent = (change: Partial<PaymentEvent> = {}): PaymentEvent => ({
  channel: aChannel(),
  eventId: 'event-1',
  kind: 'payment',
  trust: 'fact',
  outTradeNo: anOutTradeNo(),
  channelTxnId: aTxn(),
  money: money(),
  paidAt: anInstant(),
  ...change,
})

const UNITS_MS = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
])

/** `'5s 2m 1h'` in ms. */
export const times = (text: string): number[] =>
  [...text.matchAll(/(\d+)([smh])/g)].map(([, count, unit = '']) => Number(count) * sure(UNITS_MS.get(unit)))

/** The wait before a retry with jitter in its middle, which is the step itself. */
export function waitMs(ladder: Ladder, retry: number): number | 'exhausted' {
  const next = backOff(ladder, retry, 0.5)
  return next.kind === 'retry' ? next.delayMs : 'exhausted'
}

export const firstWaitsMs = (ladder: Ladder, count: number) =>
  Array.from({ length: count }, (_, index) => waitMs(ladder, index + 1))
