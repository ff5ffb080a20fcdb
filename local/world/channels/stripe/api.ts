import { createHash } from 'node:crypto'
import type { Payment } from '../payment.ts'
import { type ApiAnswer, type ApiDesk, type ApiRequest, answerJson } from '../protocol.ts'
import { fromStripeAmount, toIntent } from './intent.ts'

interface Mode {
  readonly apiKey: string
  readonly livemode: boolean
}

/** An answer in Stripe's form of an error. */
export function stripeError(status: number, error: Readonly<Record<string, unknown>>): ApiAnswer {
  return answerJson(status, { error }, { 'stripe-should-retry': String(status === 409 || status === 429) })
}

/**
 * PaymentIntents: create, read, search by our number, cancel; and what else there is of one.
 * Source: docs/channels/stripe.md, Query, Close and Refunds
 */
export function answerStripe(mode: Mode, request: ApiRequest, desk: ApiDesk): ApiAnswer {
  if (!isAuthorized(request, mode.apiKey)) {
    return stripeError(401, { type: 'invalid_request_error', message: 'Invalid API Key provided.' })
  }
  const { method } = request
  const [, version, resource, id, action] = request.url.pathname.split('/')
  if (version === 'v1' && resource === 'payment_intents') {
    if (method === 'POST' && id === undefined) return createOnce(mode, request, desk)
    if (method === 'GET' && id === 'search') return search(mode, request, desk)
    const payment = id === undefined ? undefined : desk.findByTxnId(id)
    if (payment === undefined && id !== undefined) return missing(id)
    if (payment !== undefined && method === 'GET' && action === undefined) return show(mode, payment)
    if (payment !== undefined && method === 'POST' && action === 'cancel') return cancel(mode, payment, desk)
  }
  if (version === 'v1' && method === 'GET' && LISTS.has(request.url.pathname)) return listNothing(request, desk)
  const message = `Unrecognized request URL (${method}: ${request.url.pathname}).`
  return stripeError(404, { type: 'invalid_request_error', message })
}

function isAuthorized(request: ApiRequest, apiKey: string): boolean {
  const basic = `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`
  return [`Bearer ${apiKey}`, basic].includes(request.headers['authorization'] ?? '')
}

function show({ livemode }: Mode, payment: Payment): ApiAnswer {
  return answerJson(200, toIntent(payment, livemode))
}

function missing(id: string): ApiAnswer {
  const message = `No such payment_intent: '${id}'`
  return stripeError(404, { type: 'invalid_request_error', code: 'resource_missing', param: 'intent', message })
}

/** The first answer to a key is the answer to it; other parameters under the same key are an error. */
function createOnce(mode: Mode, request: ApiRequest, desk: ApiDesk): ApiAnswer {
  const key = request.headers['idempotency-key']
  if (key === undefined) return create(mode, request, desk)
  const digest = createHash('sha256').update(request.body).digest('hex')
  const before = desk.recall(key)?.split(' ')
  if (before !== undefined && before[0] !== digest) {
    return stripeError(400, { type: 'idempotency_error', message: 'The key was used with other parameters.' })
  }
  const known = before?.[1] === undefined ? undefined : desk.findByTxnId(before[1])
  if (known !== undefined) return show(mode, known)
  const answer = create(mode, request, desk)
  const { id } = JSON.parse(answer.body)
  if (answer.status === 200) desk.remember(key, `${digest} ${id}`)
  return answer
}

function create(mode: Mode, request: ApiRequest, desk: ApiDesk): ApiAnswer {
  const form = new URLSearchParams(request.body.toString('utf8'))
  const amount = form.get('amount') ?? ''
  const currency = (form.get('currency') ?? '').toUpperCase()
  const outTradeNo = form.get('metadata[order_no]')
  if (!/^[1-9]\d{0,11}$/.test(amount)) return wrongParameter('amount')
  if (!/^[A-Z]{3}$/.test(currency)) return wrongParameter('currency')
  // Stripe itself asks for no metadata; without our number a payment belongs to no order.
  if (outTradeNo === null) return wrongParameter('metadata[order_no]')
  return show(mode, desk.place({ outTradeNo, amount: fromStripeAmount(Number(amount), currency), currency }))
}

const LISTS: ReadonlySet<string> = new Set(['/v1/refunds', '/v1/disputes', '/v1/checkout/sessions'])

/** This Stripe gives no money back, has no disputes and no Checkout: of a known intent there are none. */
function listNothing(request: ApiRequest, desk: ApiDesk): ApiAnswer {
  const id = request.url.searchParams.get('payment_intent') ?? ''
  if (desk.findByTxnId(id) === undefined) return missing(id)
  return answerJson(200, { object: 'list', url: request.url.pathname, has_more: false, data: [] })
}

function wrongParameter(param: string): ApiAnswer {
  const message = `Missing or invalid parameter: ${param}.`
  return stripeError(400, { type: 'invalid_request_error', code: 'parameter_invalid', param, message })
}

const SEARCH = /^metadata\['order_no'\]:'([^']+)'$/

function search({ livemode }: Mode, request: ApiRequest, desk: ApiDesk): ApiAnswer {
  const outTradeNo = SEARCH.exec(request.url.searchParams.get('query') ?? '')?.[1]
  if (outTradeNo === undefined) return wrongParameter('query')
  const payment = desk.find(outTradeNo)
  const data = payment === undefined ? [] : [toIntent(payment, livemode)]
  return answerJson(200, { object: 'search_result', url: request.url.pathname, has_more: false, next_page: null, data })
}

function cancel(mode: Mode, payment: Payment, desk: ApiDesk): ApiAnswer {
  if (payment.status === 'open') return show(mode, desk.close(payment))
  return stripeError(400, {
    type: 'invalid_request_error',
    code: 'payment_intent_unexpected_state',
    message: 'You cannot cancel this PaymentIntent because of its status.',
    payment_intent: toIntent(payment, mode.livemode),
  })
}
