import { expect, it } from 'vitest'
import { z } from 'zod'
import { stepsOf, tasksOf } from '../support/journey.ts'
import { openAppJourney } from '../support/journey-app.ts'

const { app, minutes, putOrder, startPayAttempt, file, act, paymentAt, deliveries } = await openAppJourney()

const EUR = { amount: 8800, currency: 'EUR' }
/** From the payment on: after the order's expiry (15 minutes) and its grace (5), and once more well before them. */
const [AFTER_THE_CLOSE, BEFORE_THE_CLOSE] = [60, 17].map((minutes) => ({ callbacks: { delayMs: minutes * 60_000 } }))

async function orderWithTry(orderNo: string): Promise<void> {
  await putOrder(orderNo, EUR)
  await startPayAttempt(orderNo, { channel: 'adyen' })
}

/** The cashier opens the page on which the buyer pays. */
async function openSession(reference: string): Promise<void> {
  const { apiKey } = z.object({ apiKey: z.string() }).parse(JSON.parse(app.simulators.secrets['adyen'] ?? '{}'))
  const amount = { value: EUR.amount, currency: EUR.currency }
  const answer = await fetch(`${app.simulators.urls['adyen']}/v71/sessions`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey },
    body: JSON.stringify({ merchantAccount: 'BackstopLocal', reference, amount }),
  })
  expect(answer.status).toBe(201)
}

it('an AUTHORISATION pays its order, with the callback as the evidence', async () => {
  await orderWithTry('ADYEN-PAID')

  await act('adyen', 'pay', { outTradeNo: 'ADYEN-PAID', ...EUR })
  await minutes(1)

  const [after, payment] = [await file('ADYEN-PAID'), await paymentAt('adyen', 'ADYEN-PAID')]
  const [callback] = after.callbacks
  expect(payment.notices).toMatchObject([{ status: 'acked', lastAnswer: 'HTTP 200' }])
  expect(after.order.status).toBe('DELIVERED')
  expect(after.payments).toMatchObject([
    { channel: 'adyen', channelTxnId: payment.channelTxnId, role: 'APPLIED', paid: 8800, currency: 'EUR' },
  ])
  expect(callback).toMatchObject({ eventId: `${payment.channelTxnId}/AUTHORISATION/true`, verdict: 'applied' })
  expect(stepsOf(after).slice(2)).toEqual(['PAYING > PAID by CALLBACK', 'PAID > DELIVERED by POLICY'])
  expect(after.journal[2]?.evidence).toContain(`CB#adyen#${callback?.eventId}#`)
  expect(deliveries('ADYEN-PAID')).toBe(1)
})

it('a refused try decides nothing, and the next one pays the order', async () => {
  await orderWithTry('ADYEN-REFUSED')
  await openSession('ADYEN-REFUSED')

  await act('adyen', 'fail', { outTradeNo: 'ADYEN-REFUSED' })
  const refused = await file('ADYEN-REFUSED')
  await act('adyen', 'pay', { outTradeNo: 'ADYEN-REFUSED' })

  const after = await file('ADYEN-REFUSED')
  expect(refused.order.status).toBe('PAYING')
  expect(refused.callbacks).toMatchObject([{ verdict: 'recorded' }])
  expect(after.callbacks.map(({ verdict }) => verdict).toSorted()).toEqual(['applied', 'recorded'])
  expect(after.order.status).toBe('DELIVERED')
})

it('Adyen is not asked: its money is found by a webhook that comes late, before the order closes', async () => {
  await orderWithTry('ADYEN-LATE-NEWS')
  await act('adyen', 'pay', { outTradeNo: 'ADYEN-LATE-NEWS', ...EUR, ...BEFORE_THE_CLOSE })
  await minutes(16)
  const waiting = await file('ADYEN-LATE-NEWS')

  await minutes(2)

  const after = await file('ADYEN-LATE-NEWS')
  expect(waiting.order.status).toBe('PAYING')
  expect(tasksOf(waiting, 'QUERY_PAYMENT')).toMatchObject([
    { status: 'CLOSED', resultSnapshot: { endedBecause: 'QUERY_UNSUPPORTED' }, attempts: [] },
  ])
  expect(after.order.status).toBe('DELIVERED')
  expect(after.payments).toMatchObject([{ role: 'APPLIED' }])
  expect(stepsOf(after)).toContain('PAYING > PAID by CALLBACK')
})

it('without news the order closes after expiry plus grace, and money that a webhook tells of then is LATE', async () => {
  await orderWithTry('ADYEN-NO-NEWS')
  await act('adyen', 'pay', { outTradeNo: 'ADYEN-NO-NEWS', ...EUR, ...AFTER_THE_CLOSE })
  await minutes(19)
  const inGrace = await file('ADYEN-NO-NEWS')
  await minutes(3)
  const closed = await file('ADYEN-NO-NEWS')

  await minutes(40)

  const after = await file('ADYEN-NO-NEWS')
  expect(inGrace.order.status).toBe('PAYING')
  expect(closed.order.status).toBe('CLOSED')
  expect(closed.lines).toMatchObject([{ state: 'RELEASED' }])
  expect(tasksOf(closed, 'CLOSE_ORDER')).toMatchObject([{ status: 'SUCCESS', attempts: [{ target: 'adyen' }] }])
  expect(after.order.status).toBe('CLOSED')
  expect(after.callbacks).toMatchObject([{ verdict: 'late' }])
  expect(after.payments).toMatchObject([{ role: 'LATE', paid: 8800, reserved: 8800 }])
  expect(after.refunds).toMatchObject([{ cause: 'LATE', amount: 8800, state: 'CREATED' }])
  expect(deliveries('ADYEN-NO-NEWS')).toBe(0)
})

it('closing an order that nobody pays cancels its session: the buyer cannot pay any more', async () => {
  await orderWithTry('ADYEN-UNPAID')
  await openSession('ADYEN-UNPAID')

  await minutes(22)
  const paying = await act('adyen', 'pay', { outTradeNo: 'ADYEN-UNPAID' })

  const after = await file('ADYEN-UNPAID')
  expect(after.order.status).toBe('CLOSED')
  expect((await paymentAt('adyen', 'ADYEN-UNPAID')).status).toBe('closed')
  expect(paying).toBe(409)
  // What became of the cancel is told by a webhook, which finds all of it done.
  expect(after.callbacks).toMatchObject([{ verdict: 'recorded' }])
  expect(after.payAttempts).toMatchObject([{ state: 'CLOSED' }])
})

it.each([
  ['a forged signature', 'signature'],
  ['another amount than the signed one', 'amount'],
  ['a merchant account of somebody else', 'account'],
  ['the mark of the live platform', 'livemode'],
])('a webhook with %s is answered 401 and touches nothing', async (_what, tamper) => {
  const orderNo = `ADYEN-${tamper.toUpperCase()}`
  await putOrder(orderNo, EUR)
  const before = await file(orderNo)

  await act('adyen', 'pay', { outTradeNo: orderNo, ...EUR, tamper, callbacks: 'lose' })

  expect((await paymentAt('adyen', orderNo)).notices).toMatchObject([{ attempts: 1, lastAnswer: 'HTTP 401' }])
  expect(await file(orderNo)).toEqual(before)
})
