import { z } from 'zod'
import { type Faults, faultsSchema } from './faults.ts'
import { type PaymentDesk, paySchema } from './payment-desk.ts'
import type { PaymentStore } from './payment-store.ts'
import { type ApiAnswer, type ApiRequest, answerJson } from './protocol.ts'

/** How the channel's API behaves; callbacks go on. Kept over restarts. */
export const outageSchema = z.strictObject({
  /** `lie`: every payment that was made looks unpaid, to queries and closes alike. */
  mode: z.enum(['down', 'slow', 'throttle', 'lie', 'up']),
  /** For `slow`: how long each answer takes, in real time. */
  ms: z.number().min(0).default(30_000),
  /** After this much time of the clock the API is up again. */
  forMs: z.number().min(0).optional(),
})
export type Outage = z.infer<typeof outageSchema>

/** What the control API works on. */
export interface Controls {
  readonly desk: PaymentDesk
  readonly store: PaymentStore
  setFaults(faults: Faults): void
  setOutage(outage: Outage): void
}

const numberSchema = z.strictObject({ outTradeNo: z.string(), channelRef: z.string().optional() })

/** `/control/…` of a simulator: what the buyer, the network and the channel's own troubles do. */
export function answerControl(request: ApiRequest, controls: Controls): ApiAnswer {
  const route = `${request.method} ${request.url.pathname}`
  try {
    switch (route) {
      case 'POST /control/pay':
        return pay(controls, paySchema.parse(readJson(request)))
      case 'POST /control/fail':
        return onPayment(controls, request, (payment) => controls.desk.fail(payment))
      case 'POST /control/close-by-channel':
        return onPayment(controls, request, (payment) => controls.desk.close(payment))
      case 'POST /control/faults': {
        const faults = faultsSchema.parse(readJson(request))
        controls.setFaults(faults)
        return answerJson(200, faults)
      }
      case 'POST /control/outage': {
        const outage = outageSchema.parse(readJson(request))
        controls.setOutage(outage)
        return answerJson(200, outage)
      }
      case 'GET /control/payments':
        return answerJson(200, { payments: listPayments(controls.store) })
      default:
        return answerJson(404, { code: 'NOT_FOUND', message: `There is no ${route}.` })
    }
  } catch (error) {
    if (error instanceof z.ZodError) return answerJson(400, { code: 'BAD_INPUT', message: z.prettifyError(error) })
    if (error instanceof SyntaxError) return answerJson(400, { code: 'BAD_JSON', message: error.message })
    throw error
  }
}

function pay({ desk }: Controls, input: z.infer<typeof paySchema>): ApiAnswer {
  const result = desk.pay(input)
  if (result.ok) return answerJson(200, { channelTxnId: result.payment.channelTxnId, status: result.payment.status })
  const channelTxnId = desk.find(input.outTradeNo)?.channelTxnId
  return answerJson(result.code.endsWith('NOT_OFFERED') || result.code === 'NOT_PLACED' ? 400 : 409, {
    code: result.code,
    message: `The payment ${input.outTradeNo} cannot be made.`,
    ...(channelTxnId !== undefined && { channelTxnId }),
  })
}

function onPayment(controls: Controls, request: ApiRequest, act: (payment: Found) => Found): ApiAnswer {
  const { outTradeNo, channelRef } = numberSchema.parse(readJson(request))
  const payment = channelRef === undefined ? controls.desk.find(outTradeNo) : controls.desk.findByTxnId(channelRef)
  if (payment === undefined)
    return answerJson(404, { code: 'NOT_PLACED', message: `There is no payment ${outTradeNo}.` })
  if (payment.status !== 'open') {
    return answerJson(409, { code: 'NOT_OPEN', message: `The payment ${outTradeNo} is ${payment.status}.` })
  }
  const { channelTxnId, status } = act(payment)
  return answerJson(200, { channelTxnId, status })
}

type Found = NonNullable<ReturnType<PaymentDesk['find']>>

function listPayments(store: PaymentStore) {
  return store.allPayments().map(({ createdAt, paidAt, closedAt, failedAt, ...payment }) => ({
    ...payment,
    createdAt: toIso(createdAt),
    paidAt: toIso(paidAt),
    closedAt: toIso(closedAt),
    failedAt: toIso(failedAt),
    notices: store.noticesOf(payment.id).map(({ eventId, event, status, attempts, lastAnswer }) => ({
      eventId,
      event,
      status,
      attempts,
      lastAnswer,
    })),
  }))
}

function toIso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

function readJson(request: ApiRequest): unknown {
  return JSON.parse(request.body.toString('utf8'))
}
