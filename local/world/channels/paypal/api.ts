import { z } from 'zod'
import type { PaypalAccount } from '../../../../modules/channels/account.ts'
import type { Payment } from '../payment.ts'
import { type ApiAnswer, type ApiDesk, type ApiRequest, answerJson } from '../protocol.ts'
import { captureIdFrom, captureStatusOf, parsePaypalAmount, refusedIdOf, toCapture, toOrder } from './resources.ts'
import { hasToken, issueToken, type PaypalApp } from './token.ts'

/** What the API answers with. */
export interface PaypalApi {
  readonly account: PaypalAccount
  readonly app: PaypalApp
  /** Name and PEM of the certificate that callbacks are signed with. */
  readonly certificate: { readonly name: string; readonly pem: string }
}

/** An answer in PayPal's form of an error. */
export function paypalError(status: number, name: string, message: string, issue?: string): ApiAnswer {
  return answerJson(status, { name, message, debug_id: 'simulated', ...(issue && { details: [{ issue }] }) })
}

/** Tokens and certificates; orders: create and read; captures: read. Source: docs/channels/paypal.md, Callback and Query */
export function answerPaypal(api: PaypalApi, request: ApiRequest, desk: ApiDesk): ApiAnswer {
  const { method } = request
  const { pathname } = request.url
  if (method === 'POST' && pathname === '/v1/oauth2/token') return issueToken(api.app, request, desk.now())
  const certificate = /^\/v1\/notifications\/certs\/([^/]+)$/.exec(pathname)?.[1]
  if (method === 'GET' && certificate !== undefined) return serveCertificate(api, certificate)
  if (!hasToken(api.app, request, desk.now())) {
    return answerJson(401, { error: 'invalid_token', error_description: 'The token passed in was not found.' })
  }
  if (method === 'POST' && pathname === '/v2/checkout/orders') return createOrder(api, request, desk)
  const [, kind, id = ''] = /^\/v2\/(checkout\/orders|payments\/captures)\/([^/]+)$/.exec(pathname) ?? []
  if (method !== 'GET' || kind === undefined) return notFound()
  return kind === 'checkout/orders' ? showOrder(api, id, desk) : showCapture(api, id, desk)
}

function serveCertificate({ certificate }: PaypalApi, name: string): ApiAnswer {
  if (name !== certificate.name) return notFound()
  return { status: 200, headers: { 'content-type': 'application/x-x509-ca-cert' }, body: certificate.pem }
}

function notFound(): ApiAnswer {
  return paypalError(404, 'RESOURCE_NOT_FOUND', 'The specified resource does not exist.', 'INVALID_RESOURCE_ID')
}

/** An order that came to nothing is gone: PayPal has no close, and no state for it. Source: docs/channels/paypal.md, Query and Close */
function showOrder({ account }: PaypalApi, id: string, desk: ApiDesk): ApiAnswer {
  const payment = id.startsWith('O') ? desk.findByTxnId(captureIdFrom(id)) : undefined
  return payment === undefined || payment.status === 'closed' ? notFound() : answerJson(200, toOrder(account, payment))
}

function showCapture({ account }: PaypalApi, id: string, desk: ApiDesk): ApiAnswer {
  const payment = id.startsWith('O') ? undefined : desk.findByTxnId(captureIdFrom(id))
  if (payment === undefined) return notFound()
  if (id === refusedIdOf(payment.channelTxnId ?? '')) {
    return payment.failedAt === undefined ? notFound() : answerJson(200, toCapture(account, payment, 'DECLINED'))
  }
  const status = captureStatusOf(payment)
  return status === undefined ? notFound() : answerJson(200, toCapture(account, payment, status))
}

const orderSchema = z.object({
  intent: z.literal('CAPTURE'),
  purchase_units: z.tuple([
    z.object({
      // PayPal itself asks for no number; without ours a payment belongs to no order.
      custom_id: z.string().min(1).max(80),
      amount: z.object({ currency_code: z.string().regex(/^[A-Z]{3}$/), value: z.string() }),
    }),
  ]),
})

/** The same PayPal-Request-Id gives the first order again. */
function createOrder({ account }: PaypalApi, request: ApiRequest, desk: ApiDesk): ApiAnswer {
  const key = request.headers['paypal-request-id']
  const before = key === undefined ? undefined : desk.findByTxnId(desk.recall(key) ?? '')
  if (before !== undefined) return answerJson(200, toOrder(account, before))
  const parsed = orderSchema.safeParse(readJson(request.body))
  if (!parsed.success) return paypalError(400, 'INVALID_REQUEST', z.prettifyError(parsed.error))
  const [{ custom_id: outTradeNo, amount: asked }] = parsed.data.purchase_units
  const amount = parsePaypalAmount(asked.value, asked.currency_code)
  if (amount === undefined || amount < 1) {
    return paypalError(422, 'UNPROCESSABLE_ENTITY', 'The amount is not one of its currency.', 'DECIMAL_PRECISION')
  }
  const payment: Payment = desk.place({ outTradeNo, amount, currency: asked.currency_code })
  if (key !== undefined && payment.channelTxnId !== undefined) desk.remember(key, payment.channelTxnId)
  return answerJson(201, toOrder(account, payment))
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined // refused by the schema, like any other wrong body
  }
}
