import { z } from 'zod'
import type { AdyenAccount } from '../../../../modules/channels/account.ts'
import { type ApiAnswer, type ApiDesk, type ApiRequest, answerJson } from '../protocol.ts'
import { fromAdyenAmount } from './amounts.ts'
import { pspReferenceOf } from './psp-reference.ts'

/** What the API answers with. */
export interface AdyenApi {
  readonly account: AdyenAccount
  readonly apiKey: string
}

/** An answer in Adyen's form of an error. */
export function adyenError(status: number, errorCode: string, errorType: string, message: string): ApiAnswer {
  return answerJson(status, { status, errorCode, message, errorType }, { 'transient-error': String(status === 429) })
}

/** Checkout: a session to pay, and cancels. There is no query. Source: docs/channels/adyen.md, Trade states and Close */
export function answerAdyen(api: AdyenApi, request: ApiRequest, desk: ApiDesk): ApiAnswer {
  if (request.headers['x-api-key'] !== api.apiKey) {
    return adyenError(401, '000', 'security', 'HTTP Status Response - Unauthorized')
  }
  const route = /^\/v\d+\/(sessions|cancels)$/.exec(request.url.pathname)?.[1]
  const paid = /^\/v\d+\/payments\/([^/]+)\/cancels$/.exec(request.url.pathname)?.[1]
  if (request.method !== 'POST' || (route === undefined && paid === undefined)) {
    return adyenError(404, '000', 'validation', 'HTTP Status Response - Not Found')
  }
  return once(request, desk, () => {
    if (route === 'sessions') return openSession(api, request, desk)
    return route === 'cancels' ? cancelByReference(api, request, desk) : cancelPayment(api, request, paid ?? '')
  })
}

/** A key that comes again brings back the first answer. Source: docs/channels/adyen.md, Refunds */
function once(request: ApiRequest, desk: ApiDesk, act: () => ApiAnswer): ApiAnswer {
  const key = request.headers['idempotency-key']
  const before = key === undefined ? undefined : desk.recall(key)
  if (before !== undefined) return { status: 201, headers: { 'content-type': 'application/json' }, body: before }
  const answer = act()
  if (key !== undefined && answer.status === 201) desk.remember(key, answer.body)
  return answer
}

const sessionSchema = z.object({
  merchantAccount: z.string(),
  reference: z.string().min(1).max(80),
  amount: z.object({ value: z.number().int().min(1), currency: z.string().regex(/^[A-Z]{3}$/) }),
})

/** The buyer's page. The payment gets its number only when he pays. */
function openSession({ account }: AdyenApi, request: ApiRequest, desk: ApiDesk): ApiAnswer {
  const parsed = sessionSchema.safeParse(readJson(request.body))
  if (!parsed.success) return adyenError(422, '14_0398', 'validation', z.prettifyError(parsed.error))
  const { merchantAccount, reference, amount } = parsed.data
  if (!account.merchantAccounts.includes(merchantAccount)) return foreignAccount()
  const payment = desk.place({
    outTradeNo: reference,
    amount: fromAdyenAmount(amount.value, amount.currency),
    currency: amount.currency,
    shown: false,
  })
  return answerJson(201, { id: `CS${pspReferenceOf('session', payment.id)}`, merchantAccount, reference, amount })
}

const cancelSchema = z.object({
  merchantAccount: z.string(),
  paymentReference: z.string().min(1).max(80),
  reference: z.string().max(80).optional(),
})

/** "Received", whatever becomes of it: that comes by webhook, and for a number that nobody knows it never comes. */
function cancelByReference({ account }: AdyenApi, request: ApiRequest, desk: ApiDesk): ApiAnswer {
  const parsed = cancelSchema.safeParse(readJson(request.body))
  if (!parsed.success) return adyenError(422, '14_0398', 'validation', z.prettifyError(parsed.error))
  const { merchantAccount, paymentReference, reference } = parsed.data
  if (!account.merchantAccounts.includes(merchantAccount)) return foreignAccount()
  const payment = desk.find(paymentReference)
  if (payment?.status === 'open') desk.close({ ...payment, closedBy: 'merchant' })
  const pspReference = pspReferenceOf('cancel', `${paymentReference}|${desk.now()}`)
  return answerJson(201, { merchantAccount, paymentReference, reference, pspReference, status: 'received' })
}

/** A payment that has a number is captured already, so the cancel comes to nothing. */
function cancelPayment({ account }: AdyenApi, request: ApiRequest, paymentPspReference: string): ApiAnswer {
  const parsed = z.object({ merchantAccount: z.string() }).safeParse(readJson(request.body))
  if (!parsed.success) return adyenError(422, '14_0398', 'validation', z.prettifyError(parsed.error))
  const { merchantAccount } = parsed.data
  if (!account.merchantAccounts.includes(merchantAccount)) return foreignAccount()
  const pspReference = pspReferenceOf('cancel', paymentPspReference)
  return answerJson(201, { merchantAccount, paymentPspReference, pspReference, status: 'received' })
}

function foreignAccount(): ApiAnswer {
  return adyenError(403, '901', 'security', 'Invalid Merchant Account')
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined // refused by the schema, like any other wrong body
  }
}
