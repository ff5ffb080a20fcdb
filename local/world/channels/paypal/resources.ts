import { createHash } from 'node:crypto'
import type { PaypalAccount } from '../../../../modules/channels/account.ts'
import { exponentOf } from '../../../../modules/core/currencies.ts'
import type { Payment } from '../payment.ts'

/** No decimals at PayPal; the two besides JPY have two in ISO 4217. Source: docs/channels/paypal.md, Fields */
const WHOLE_UNITS: ReadonlySet<string> = new Set(['HUF', 'JPY', 'TWD'])

/** The capture of a payment. Order and refused try have the same number behind another letter. */
export function captureIdOf(seed: string, number: number): string {
  return `C${createHash('sha256').update(`${seed}|${number}`).digest('hex').slice(0, 16).toUpperCase()}`
}

export const orderIdOf = (captureId: string): string => captureId.replace(/^C/, 'O')
export const refusedIdOf = (captureId: string): string => captureId.replace(/^C/, 'F')
/** The capture behind any of the three numbers. */
export const captureIdFrom = (id: string): string => id.replace(/^[OF]/, 'C')

/** ISO minor units as PayPal's decimal text. */
export function formatPaypalAmount(amount: number, currency: string): string {
  const exponent = exponentOf(currency) ?? 2
  const digits = String(amount).padStart(exponent + 1, '0')
  if (exponent === 0) return digits
  const whole = digits.slice(0, -exponent)
  return WHOLE_UNITS.has(currency) ? whole : `${whole}.${digits.slice(-exponent)}`
}

/** PayPal's decimal text in ISO minor units, or `undefined` where it is none of its currency. */
export function parsePaypalAmount(text: unknown, currency: string): number | undefined {
  const exponent = exponentOf(currency)
  const match = typeof text === 'string' ? /^(\d{1,10})(?:\.(\d{1,2}))?$/.exec(text) : null
  if (match === null || exponent === undefined || exponent > 2) return undefined
  const part = match[2] ?? ''
  if (WHOLE_UNITS.has(currency) && /[1-9]/.test(part)) return undefined
  return Number(`${match[1]}${part.padEnd(2, '0').slice(0, exponent)}`)
}

export type CaptureStatus = 'COMPLETED' | 'PENDING' | 'DECLINED'

/** A capture, as the API and events show it. Source: docs/channels/paypal.md, Fields and Query */
export function toCapture(account: PaypalAccount, payment: Payment, status: CaptureStatus): object {
  const captureId = payment.channelTxnId ?? ''
  const currency = payment.paidCurrency ?? payment.currency
  const madeAt = payment.pendingAt ?? payment.paidAt ?? payment.failedAt ?? payment.createdAt
  const changedAt = payment.paidAt ?? madeAt
  return {
    id: status === 'DECLINED' ? refusedIdOf(captureId) : captureId,
    status,
    ...(status === 'PENDING' && { status_details: { reason: 'ECHECK' } }),
    amount: {
      currency_code: currency,
      value: formatPaypalAmount(payment.paidAmount ?? payment.amount, currency),
    },
    final_capture: true,
    ...payeeOf(account),
    custom_id: payment.outTradeNo,
    supplementary_data: { related_ids: { order_id: orderIdOf(captureId) } },
    create_time: formatTime(status === 'COMPLETED' && payment.paidAt !== undefined ? payment.paidAt : madeAt),
    update_time: formatTime(changedAt),
  }
}

/** An order with its capture. Source: docs/channels/paypal.md, Query */
export function toOrder(account: PaypalAccount, payment: Payment): object {
  const captured = captureStatusOf(payment)
  return {
    id: orderIdOf(payment.channelTxnId ?? ''),
    intent: 'CAPTURE',
    status: captured === undefined ? 'CREATED' : 'COMPLETED',
    purchase_units: [
      {
        reference_id: 'default',
        custom_id: payment.outTradeNo,
        amount: {
          currency_code: payment.currency,
          value: formatPaypalAmount(payment.amount, payment.currency),
        },
        ...payeeOf(account),
        ...(captured !== undefined && { payments: { captures: [toCapture(account, payment, captured)] } }),
      },
    ],
    create_time: formatTime(payment.createdAt),
  }
}

/** The capture's status, or `undefined` while there is none. */
export function captureStatusOf(payment: Payment): CaptureStatus | undefined {
  if (payment.status === 'paid') return 'COMPLETED'
  return payment.status === 'open' && payment.pendingAt !== undefined ? 'PENDING' : undefined
}

function payeeOf({ merchantId }: PaypalAccount): object {
  return merchantId === undefined ? {} : { payee: { merchant_id: merchantId } }
}

/** UTC to the second, as PayPal writes times. */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}
