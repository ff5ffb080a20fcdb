import { expect, it } from 'vitest'
import { placeAtPaypal } from '../../local/world/demo/paypal-cashier.ts'
import { stepsOf, tasksOf } from '../support/journey.ts'
import { openAppJourney } from '../support/journey-app.ts'

const { app, minutes, putOrder, startPayAttempt, file, act, paymentAt, deliveries } = await openAppJourney()

const USD = { amount: 8800, currency: 'USD' }

/** As a merchant does it: the order is made at PayPal first, and its id is the try's channelRef. */
async function orderWithTry(orderNo: string): Promise<void> {
  const channelRef = await placeAtPaypal(app.simulators, { orderNo, ...USD })
  await putOrder(orderNo, USD)
  await startPayAttempt(orderNo, { channel: 'paypal', channelRef })
}

it('a notice decides nothing: it has PayPal asked at once, and the answer pays the order', async () => {
  await orderWithTry('PAYPAL-HINT')
  // The first questions of the ladder are over, the next one is minutes away.
  await minutes(1)

  await act('paypal', 'pay', { outTradeNo: 'PAYPAL-HINT' })
  await app.stack.leapBy(20_000)

  const [after, payment] = [await file('PAYPAL-HINT'), await paymentAt('paypal', 'PAYPAL-HINT')]
  // That of the try, by its own number, and one by the number of the capture: whichever is asked second has nothing left to do.
  const questions = tasksOf(after, 'QUERY_PAYMENT')
  expect(payment.notices).toMatchObject([{ status: 'acked', lastAnswer: 'HTTP 200' }])
  expect(after.callbacks).toMatchObject([{ channel: 'paypal', verdict: 'recorded', seen: 1 }])
  expect(questions.map(({ bizNo, status }) => `${bizNo} ${status}`).toSorted()).toEqual([
    'paypal/PAYPAL-HINT SUCCESS',
    `paypal/PAYPAL-HINT/${payment.channelTxnId} SUCCESS`,
  ])
  for (const { requestSnapshot } of questions) {
    expect(requestSnapshot?.['wokenBy']).toContain(`CB#paypal#${after.callbacks[0]?.eventId}#`)
  }
  expect(after.order.status).toBe('DELIVERED')
  expect(after.payments).toMatchObject([
    { channel: 'paypal', channelTxnId: payment.channelTxnId, role: 'APPLIED', paid: 8800, currency: 'USD' },
  ])
  expect(stepsOf(after).slice(2)).toEqual(['PAYING > PAID by QUERY', 'PAID > DELIVERED by POLICY'])
  expect(questions.map(({ taskNo }) => `AT#${taskNo}`)).toContain(after.journal[2]?.evidence.slice(0, 29))
  expect(deliveries('PAYPAL-HINT')).toBe(1)
})

it('a try without a channelRef is asked about by the capture that the notice names', async () => {
  await putOrder('PAYPAL-NO-REF', USD)
  await startPayAttempt('PAYPAL-NO-REF', { channel: 'paypal' })
  await minutes(1)

  await act('paypal', 'pay', { outTradeNo: 'PAYPAL-NO-REF', ...USD })
  await app.stack.leapBy(20_000)

  const [after, payment] = [await file('PAYPAL-NO-REF'), await paymentAt('paypal', 'PAYPAL-NO-REF')]
  expect(after.order.status).toBe('DELIVERED')
  expect(after.payments).toMatchObject([{ channelTxnId: payment.channelTxnId, role: 'APPLIED' }])
  expect(stepsOf(after)).toContain('PAYING > PAID by QUERY')
})

it('a notice that comes before its order waits for it, and has PayPal asked by its capture though nobody announced a try', async () => {
  await act('paypal', 'pay', { outTradeNo: 'PAYPAL-EARLY', ...USD })

  await putOrder('PAYPAL-EARLY', USD)
  await minutes(1)

  const [after, payment] = [await file('PAYPAL-EARLY'), await paymentAt('paypal', 'PAYPAL-EARLY')]
  expect(after.order.status).toBe('DELIVERED')
  expect(after.payAttempts).toEqual([])
  expect(after.payments).toMatchObject([{ channelTxnId: payment.channelTxnId, role: 'APPLIED', paid: 8800 }])
  expect(tasksOf(after, 'SETTLE_CALLBACK')).toMatchObject([{ status: 'SUCCESS' }])
  expect(stepsOf(after)).toContain('WAIT_PAY > PAID by QUERY')
})

it('a notice whose order comes when its wait is over is taken up by the order`s arrival', async () => {
  await act('paypal', 'pay', { outTradeNo: 'PAYPAL-WAITS', ...USD })
  await minutes(50)

  await putOrder('PAYPAL-WAITS', USD)
  await minutes(1)

  const after = await file('PAYPAL-WAITS')
  expect(after.order.status).toBe('DELIVERED')
  expect(after.payments).toMatchObject([{ role: 'APPLIED', paid: 8800 }])
  expect(tasksOf(after, 'SETTLE_CALLBACK')).toMatchObject([
    { status: 'SUCCESS', requestSnapshot: { requeuedBy: 'ORDER_ARRIVED' } },
  ])
  expect(stepsOf(after)).toContain('WAIT_PAY > PAID by QUERY')
})

it('a payment whose notices are all lost is found by asking', async () => {
  await orderWithTry('PAYPAL-LOST')

  await act('paypal', 'pay', { outTradeNo: 'PAYPAL-LOST', callbacks: 'lose' })
  await minutes(4)

  const after = await file('PAYPAL-LOST')
  expect((await paymentAt('paypal', 'PAYPAL-LOST')).notices).toMatchObject([{ status: 'lost' }])
  expect(after.callbacks).toEqual([])
  expect(after.order.status).toBe('DELIVERED')
  expect(after.payments).toMatchObject([{ role: 'APPLIED', paid: 8800 }])
  expect(stepsOf(after)).toContain('PAYING > PAID by QUERY')
})

it('the answer`s amount counts: a capture of another sum is MISMATCHED, whatever the notice said', async () => {
  await orderWithTry('PAYPAL-SHORT')

  await act('paypal', 'pay', { outTradeNo: 'PAYPAL-SHORT', payAmount: 100 })
  await minutes(4)

  const after = await file('PAYPAL-SHORT')
  expect(after.order).toMatchObject({ status: 'PAYING', frozen: { reason: 'MISMATCH_AMOUNT' } })
  expect(after.payments).toMatchObject([{ role: 'MISMATCHED', paid: 100 }])
  expect(deliveries('PAYPAL-SHORT')).toBe(0)
})

it('while a bank debit is under way the order does not close, and is paid when it is through', async () => {
  await orderWithTry('PAYPAL-ECHECK')
  await act('paypal', 'pay', { outTradeNo: 'PAYPAL-ECHECK', at: 40 * 60_000 })
  await minutes(30)
  const moving = await file('PAYPAL-ECHECK')

  await minutes(20)

  const after = await file('PAYPAL-ECHECK')
  expect(moving.order.status).toBe('PAYING')
  expect(after.order.status).toBe('DELIVERED')
  expect(after.payments).toMatchObject([{ role: 'APPLIED', paid: 8800 }])
})

it('PayPal has no close: an unpaid order closes after expiry plus grace, and money that a later notice leads to is LATE', async () => {
  await orderWithTry('PAYPAL-LATE')
  await minutes(19)
  const inGrace = await file('PAYPAL-LATE')
  await minutes(3)
  const closed = await file('PAYPAL-LATE')

  await act('paypal', 'pay', { outTradeNo: 'PAYPAL-LATE' })
  await minutes(1)

  const after = await file('PAYPAL-LATE')
  expect(inGrace.order.status).toBe('PAYING')
  expect(closed.order.status).toBe('CLOSED')
  expect(after.order.status).toBe('CLOSED')
  expect(after.payments).toMatchObject([{ role: 'LATE', paid: 8800, reserved: 8800 }])
  expect(after.refunds).toMatchObject([{ cause: 'LATE', amount: 8800, state: 'CREATED' }])
  expect(deliveries('PAYPAL-LATE')).toBe(0)
})

it.each([
  ['a forged signature', 'signature'],
  ['another amount than the signed one', 'amount'],
  ['a signature for the webhook of another app', 'account'],
])('a notice with %s is answered 400 and touches nothing', async (_what, tamper) => {
  const orderNo = `PAYPAL-${tamper.toUpperCase()}`
  await putOrder(orderNo, USD)
  const before = await file(orderNo)

  await act('paypal', 'pay', { outTradeNo: orderNo, ...USD, tamper, callbacks: 'lose' })

  expect((await paymentAt('paypal', orderNo)).notices).toMatchObject([{ attempts: 1, lastAnswer: 'HTTP 400' }])
  expect(await file(orderNo)).toEqual(before)
})
