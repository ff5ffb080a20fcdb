import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'
import type { StandardWebhooksAccount, WebhookMapping } from '../../../../modules/channels/account.ts'
import { exponentOf } from '../../../../modules/core/currencies.ts'
import { type Keys, keyOf } from '../keep-keys.ts'
import type { Payment, PaymentEvent } from '../payment.ts'
import { type ApiAnswer, type ApiDesk, type ApiRequest, answerJson, damage, type Protocol } from '../protocol.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** The example schedule of Standard Webhooks, about 75 h 35 min. Source: docs/channels/standard-webhooks.md */
const RESEND_AFTER_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/** A shared secret of 32 bytes. */
export function makePartnerKeys(): Keys {
  return { secret: `whsec_${randomBytes(32).toString('base64')}` }
}

/** A partner who sends Standard Webhooks in the form that the account's mapping describes, and answers no query. */
export function openPartnerProtocol(account: StandardWebhooksAccount, keys: Keys): Protocol {
  const secret = keyOf(keys, 'secret')
  const signer = new Webhook(secret)
  const foreignSigner = new Webhook(`whsec_${Buffer.alloc(32, 'another merchant').toString('base64')}`)

  return {
    secret: JSON.stringify({ secrets: [secret] }),
    paysAgain: true,
    tampers: ['signature', 'amount', 'account'],
    resendAfterMs: RESEND_AFTER_MS,
    answerTimeoutMs: 15_000,
    isAck: (status) => status >= 200 && status < 300,
    isStop: (status) => status === 410,
    newTxnId: (number) => `txn_${String(number).padStart(12, '0')}`,
    newEventId: (number) => `msg_${String(number).padStart(20, '0')}`,
    describe: (event, payment, _eventId, nowMs) => describe(account.mapping, event, payment, nowMs),
    encode: (content, eventId, nowMs, tamper) => {
      const seconds = Math.floor(nowMs / SECOND)
      const signature = (tamper === 'account' ? foreignSigner : signer).sign(
        eventId,
        new Date(seconds * SECOND),
        content,
      )
      return {
        headers: {
          'content-type': 'application/json',
          'user-agent': 'partner-webhooks/1',
          'webhook-id': eventId,
          'webhook-timestamp': String(seconds),
          'webhook-signature': tamper === 'signature' ? `v1,${damage(signature.slice('v1,'.length))}` : signature,
        },
        body: tamper === 'amount' ? raiseAmount(account.mapping, content) : content,
      }
    },
    answer: answerPartner,
    throttle: () => answerJson(429, { code: 'too_many_requests' }, { 'retry-after': '5' }),
  }
}

/** The mapping read backwards: each value is put where Backstop will look for it. */
function describe(mapping: WebhookMapping, event: PaymentEvent, payment: Payment, nowMs: number): string | undefined {
  const type = { paid: mapping.types.payment, failed: mapping.types.failed, closed: mapping.types.closed }[event]?.[0]
  if (type === undefined) return undefined
  const currency = payment.paidCurrency ?? payment.currency
  const body = {}
  put(body, mapping.type, type)
  put(body, 'timestamp', new Date(nowMs).toISOString())
  put(body, mapping.outTradeNo, payment.outTradeNo)
  // A try that ended unpaid has no transaction: a closed one that names one has lost its money.
  if (event === 'paid') put(body, mapping.channelTxnId, payment.channelTxnId)
  put(body, mapping.amount, inUnit(mapping.unit, payment.paidAmount ?? payment.amount, currency))
  put(body, mapping.currency, currency)
  put(body, 'data.status', payment.status)
  if (mapping.paidAt !== undefined) put(body, mapping.paidAt, new Date(payment.paidAt ?? nowMs).toISOString())
  return JSON.stringify(body)
}

function put(target: Record<string, unknown>, path: string, value: unknown): void {
  const [name = '', ...rest] = path.split('.')
  if (rest.length === 0) {
    target[name] = value
    return
  }
  const below = target[name]
  const child: Record<string, unknown> = typeof below === 'object' && below !== null ? { ...below } : {}
  put(child, rest.join('.'), value)
  target[name] = child
}

function inUnit(unit: WebhookMapping['unit'], amount: number, currency: string): number | string {
  const exponent = exponentOf(currency) ?? 2
  if (unit === 'minor') return amount
  const digits = String(amount).padStart(exponent + 1, '0')
  return exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`
}

/** Ten times the amount, in a body that was signed already. */
function raiseAmount(mapping: WebhookMapping, content: string): string {
  const name = mapping.amount.split('.').at(-1)
  return content.replace(new RegExp(`("${name}":"?)(\\d)`), '$1$20')
}

const orderSchema = z.object({
  order_no: z.string().min(1).max(80),
  amount: z.number().int().min(1),
  currency: z.string().regex(/^[A-Z]{3}$/),
})

function answerPartner(request: ApiRequest, desk: ApiDesk): ApiAnswer {
  if (request.method !== 'POST' || request.url.pathname !== '/payments') return answerJson(404, { code: 'not_found' })
  const order = orderSchema.safeParse(readJson(request.body))
  if (!order.success) return answerJson(400, { code: 'invalid_request', message: z.prettifyError(order.error) })
  const { order_no: outTradeNo, amount, currency } = order.data
  const payment = desk.find(outTradeNo) ?? desk.place({ outTradeNo, amount, currency })
  if (payment.amount !== amount || payment.currency !== currency) return answerJson(409, { code: 'order_no_used' })
  return answerJson(201, { order_no: outTradeNo, transaction_id: payment.channelTxnId, status: payment.status })
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined // refused by the schema, like any other wrong body
  }
}
