import { expect, it } from 'vitest'
import { type OrderFile, openJourney, stepsOf, tasksOf } from '../support/journey.ts'
import { stripeNotice } from '../support/journey-notices.ts'

const journey = await openJourney()
const { merchant, stack, minutes, putOrder, startPayAttempt, file, send, pay, busEvents } = journey

it('the second payment of an order is SURPLUS: reserved for a refund of its own transaction, sent by nobody yet', async () => {
  await putOrder('ORDER-TWO-PAID')
  await startPayAttempt('ORDER-TWO-PAID', { outTradeNo: 'ORDER-TWO-PAID' })
  await startPayAttempt('ORDER-TWO-PAID', { outTradeNo: 'ORDER-TWO-PAID_2' })
  await pay({ outTradeNo: 'ORDER-TWO-PAID', txn: 'two-paid-1' })

  await pay({ outTradeNo: 'ORDER-TWO-PAID_2', txn: 'two-paid-2' })

  const after = await file('ORDER-TWO-PAID')
  expect(after.order.status).toBe('DELIVERED')
  expect(after.payments).toMatchObject([
    { channelTxnId: 'two-paid-1', role: 'APPLIED', reserved: 0 },
    { channelTxnId: 'two-paid-2', role: 'SURPLUS', reserved: 8800, refunded: 0 },
  ])
  expect(after.refunds).toMatchObject([
    { cause: 'SURPLUS', channelTxnId: 'two-paid-2', amount: 8800, state: 'CREATED' },
  ])
  expectHeldRefunds(after)
  expect(merchant.deliveries('ORDER-TWO-PAID')).toHaveLength(1)
})

it('of three payments one is applied and two go back: what came in less what goes out is the order', async () => {
  await putOrder('ORDER-THREE')
  await pay({ outTradeNo: 'ORDER-THREE', txn: 'three-1' })
  await pay({ outTradeNo: 'ORDER-THREE', txn: 'three-2' })

  await pay({ outTradeNo: 'ORDER-THREE', txn: 'three-3' })

  const after = await file('ORDER-THREE')
  const paidIn = after.payments.reduce((sum, { paid }) => sum + paid, 0)
  const goesOut = after.payments.reduce((sum, { reserved, refunded }) => sum + reserved + refunded, 0)
  expect(after.payments.map(({ role }) => role)).toEqual(['APPLIED', 'SURPLUS', 'SURPLUS'])
  expect(after.refunds.map(({ channelTxnId }) => channelTxnId).toSorted()).toEqual(['three-2', 'three-3'])
  expect(paidIn - goesOut).toBe(after.order.amount)
  expectHeldRefunds(after)
})

it('an order that nobody tries to pay is closed after 15 minutes and its lines are released', async () => {
  await putOrder('NOT-TRIED')
  await minutes(14)
  const before = await file('NOT-TRIED')

  await minutes(2)

  const after = await file('NOT-TRIED')
  expect(before.order.status).toBe('WAIT_PAY')
  expect(after.order.status).toBe('CLOSED')
  expect(after.lines).toMatchObject([{ state: 'RELEASED' }])
  expect(tasksOf(after, 'CLOSE_ORDER')).toMatchObject([{ status: 'SUCCESS' }])
  expect(stepsOf(after).at(-1)).toBe('WAIT_PAY > CLOSED by POLICY')
  expect(busEvents('NOT-TRIED').map(({ to }) => to)).toEqual(['WAIT_PAY', 'CLOSED'])
})

it('money for a closed order is LATE and goes back; the order stays closed and its goods stay released', async () => {
  await putOrder('ORDER-LATE')
  await minutes(16)
  const closed = await file('ORDER-LATE')

  const answer = await pay({ outTradeNo: 'ORDER-LATE', txn: 'late-1' })

  const after = await file('ORDER-LATE')
  expect(closed.order.status).toBe('CLOSED')
  expect(answer.status).toBe(200)
  expect(after.order.status).toBe('CLOSED')
  expect(after.lines).toMatchObject([{ state: 'RELEASED' }])
  expect(after.payments).toMatchObject([{ role: 'LATE', paid: 8800, reserved: 8800 }])
  expect(after.refunds).toMatchObject([{ cause: 'LATE', channelTxnId: 'late-1', amount: 8800, state: 'CREATED' }])
  expect(after.callbacks).toMatchObject([{ verdict: 'late' }])
  expectHeldRefunds(after)
  expect(merchant.deliveries('ORDER-LATE')).toEqual([])
})

it('a failure or a close that comes for a closed order neither reopens it nor refunds', async () => {
  await putOrder('ORDER-CLOSED')
  await minutes(16)

  await pay({ outTradeNo: 'ORDER-CLOSED', txn: 'closed-1', type: 'payment.failed' })
  await pay({ outTradeNo: 'ORDER-CLOSED', txn: 'closed-1', type: 'payment.closed' })

  const after = await file('ORDER-CLOSED')
  expect(after.order.status).toBe('CLOSED')
  expect(after.payments).toEqual([])
  expect(after.refunds).toEqual([])
  expect(after.callbacks.map(({ verdict }) => verdict)).toEqual(['recorded', 'recorded'])
})

it('a closed order takes no further try', async () => {
  await putOrder('NO-MORE-TRIES')
  await minutes(16)

  const answer = await startPayAttempt('NO-MORE-TRIES')

  expect(answer.status).toBe(409)
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'ORDER_NOT_PAYABLE', orderStatus: 'CLOSED' })
})

it('an unpaid order with an open try is closed only after the expiry of the try and its grace', async () => {
  await putOrder('OPEN-TRY')
  await startPayAttempt('OPEN-TRY', { expiresAt: new Date(stack.clock.now() + 20 * 60_000).toISOString() })
  await minutes(24)
  const inGrace = await file('OPEN-TRY')

  await minutes(2)

  const after = await file('OPEN-TRY')
  expect(inGrace.order.status).toBe('PAYING')
  expect(tasksOf(inGrace, 'CLOSE_ORDER')).toMatchObject([
    { status: 'WAITING', lastErrorCode: 'PAY_ATTEMPT_NOT_EXPIRED', attempts: [] },
  ])
  expect(after.order.status).toBe('CLOSED')
  expect(after.lines).toMatchObject([{ state: 'RELEASED' }])
})

it('money that comes between the order`s close time and the end of the grace is applied', async () => {
  await putOrder('IN-THE-GRACE')
  await startPayAttempt('IN-THE-GRACE')
  await minutes(18)

  await pay({ outTradeNo: 'IN-THE-GRACE', txn: 'grace-1' })
  await minutes(5)

  const after = await file('IN-THE-GRACE')
  expect(after.order.status).toBe('DELIVERED')
  expect(after.payments).toMatchObject([{ role: 'APPLIED' }])
  expect(tasksOf(after, 'CLOSE_ORDER')).toMatchObject([{ status: 'SUCCESS', attempts: [] }])
})

/** This release sends no refund: the task waits, counted and untouched, for one that can. */

// Last: tries that stay open are asked about again and again, each time waiting for their lane's gate.
it('two payments of an order at once: one is applied, the other goes back', async () => {
  await putOrder('BOTH-AT-ONCE')
  await startPayAttempt('BOTH-AT-ONCE')
  await startPayAttempt('BOTH-AT-ONCE', { channel: 'stripe' })

  await Promise.all([
    pay({ outTradeNo: 'BOTH-AT-ONCE', txn: 'both-1' }),
    send(stripeNotice({ outTradeNo: 'BOTH-AT-ONCE', intent: 'pi_both' }, stack.clock.now())),
  ])
  await stack.idle()
  await minutes(1)

  const after = await file('BOTH-AT-ONCE')
  expect(after.order.status).toBe('DELIVERED')
  expect(after.payments.map(({ role }) => role).toSorted()).toEqual(['APPLIED', 'SURPLUS'])
  expect(after.refunds).toHaveLength(1)
  expect(stepsOf(after).filter((step) => step.includes('> PAID'))).toHaveLength(1)
  expect(merchant.deliveries('BOTH-AT-ONCE')).toHaveLength(1)
})

it('when one of two tries is paid, a task asks the channel of the other to close it', async () => {
  await putOrder('CLOSE-OTHER')
  await startPayAttempt('CLOSE-OTHER')
  await startPayAttempt('CLOSE-OTHER', { channel: 'stripe', channelRef: 'pi_other' })

  await pay({ outTradeNo: 'CLOSE-OTHER', txn: 'other-1' })

  const after = await file('CLOSE-OTHER')
  expect(after.payAttempts.map(({ channel, state }) => `${channel} ${state}`)).toEqual(['partner PAID', 'stripe OPEN'])
  // Its channel does not answer: what is not known to be closed stays to be closed.
  expect(tasksOf(after, 'CLOSE_ATTEMPT')).toMatchObject([{ bizNo: 'stripe/CLOSE-OTHER' }])
  expect(['WAITING', 'RETRY']).toContain(tasksOf(after, 'CLOSE_ATTEMPT')[0]?.status)
})

function expectHeldRefunds(after: OrderFile): void {
  const held = tasksOf(after, 'REFUND')
  expect(held.map(({ bizNo }) => bizNo).toSorted()).toEqual(after.refunds.map(({ refundNo }) => refundNo).toSorted())
  expect(held.every(({ status, attempts }) => status === 'WAITING' && attempts.length === 0)).toBe(true)
  expect(held.every(({ lastErrorCode }) => lastErrorCode === 'NO_HANDLER')).toBe(true)
}
