import { expect, it } from 'vitest'
import { openJourney, tasksOf } from '../support/journey.ts'
import { partnerNotice } from '../support/journey-notices.ts'

const { merchant, stack, minutes, putOrder, startPayAttempt, file, send, pay } = await openJourney()

it('a callback that comes before its order is booked within the first rungs once the order is there', async () => {
  await pay({ outTradeNo: 'ORDER-EARLY', txn: 'early-1' })

  await putOrder('ORDER-EARLY')
  await stack.leapBy(10_000)

  const after = await file('ORDER-EARLY')
  expect(after.order.status).toBe('DELIVERED')
  expect(after.payments).toMatchObject([{ role: 'APPLIED' }])
  expect(after.callbacks).toMatchObject([{ verdict: 'applied', seen: 1 }])
  expect(tasksOf(after, 'REVIEW')).toEqual([])
  expect(tasksOf(after, 'SETTLE_CALLBACK')).toMatchObject([{ status: 'SUCCESS' }])
  expect(merchant.deliveries('ORDER-EARLY')).toHaveLength(1)
})

it('a callback for a try of its own number that comes before the try is booked once the try is there', async () => {
  await putOrder('TRY-AFTER')
  await pay({ outTradeNo: 'TRY-AFTER_TRY2', txn: 'try-after-1' })
  const before = await file('TRY-AFTER')

  await startPayAttempt('TRY-AFTER', { outTradeNo: 'TRY-AFTER_TRY2' })
  await minutes(2)

  const after = await file('TRY-AFTER')
  expect(before.order.status).toBe('WAIT_PAY')
  expect(after.order.status).toBe('DELIVERED')
  expect(after.payAttempts).toMatchObject([{ outTradeNo: 'TRY-AFTER_TRY2', state: 'PAID' }])
})

it('ten copies of a callback around the creation of its order are one payment', async () => {
  const notice = partnerNotice({ outTradeNo: 'AROUND-PUT', txn: 'around-1' }, stack.clock.now())

  await Promise.all([...Array.from({ length: 5 }, () => send(notice)), putOrder('AROUND-PUT'), send(notice)])
  await stack.idle()
  await stack.leapBy(20_000)

  const after = await file('AROUND-PUT')
  expect(after.order.status).toBe('DELIVERED')
  expect(after.payments).toMatchObject([{ role: 'APPLIED' }])
  expect(after.callbacks).toMatchObject([{ verdict: 'applied', seen: 6 }])
  expect(merchant.deliveries('AROUND-PUT')).toHaveLength(1)
})

it('another amount under the number of an early notice goes to a person, not unseen', async () => {
  await pay({ outTradeNo: 'ORDER-TWO-SUMS', txn: 'two-sums-1', id: 'msg_two-sums', amount: 8800 })
  await pay({ outTradeNo: 'ORDER-TWO-SUMS', txn: 'two-sums-1', id: 'msg_two-sums', amount: 9900 })

  await putOrder('ORDER-TWO-SUMS')
  await minutes(5)

  const after = await file('ORDER-TWO-SUMS')
  // Either of them may be decided first; the other one contradicts it.
  expect(after.callbacks.map(({ verdict }) => verdict)).toContain('conflict')
  expect(after.callbacks.map(({ verdict }) => verdict)).not.toContain('parked')
  expect(after.order.frozen).toBeDefined()
  expect(tasksOf(after, 'REVIEW').map(({ lastErrorCode }) => lastErrorCode)).toContain('TXN_OTHER_MONEY')
})

it('money for an order that never comes is an ORPHAN with a ticket, and the order that comes after all is PAID with it', async () => {
  await pay({ outTradeNo: 'NEVER-CAME', txn: 'never-1' })
  await minutes(32)

  const created = await putOrder('NEVER-CAME')
  const waiting = await file('NEVER-CAME')
  await stack.idle()

  const after = await file('NEVER-CAME')
  expect(created.status).toBe(201)
  expect(waiting.payments).toMatchObject([{ role: 'ORPHAN', paid: 8800 }])
  expect(tasksOf(waiting, 'REVIEW')).toMatchObject([{ status: 'MANUAL', lastErrorCode: 'ORDER_NOT_FOUND' }])
  expect(after.order.status).toBe('DELIVERED')
  expect(after.payments).toMatchObject([{ role: 'APPLIED', paid: 8800, reserved: 0 }])
  expect(after.callbacks).toMatchObject([{ verdict: 'applied' }])
  expect(tasksOf(after, 'REVIEW')).toMatchObject([{ status: 'SUCCESS' }])
  expect(merchant.deliveries('NEVER-CAME')).toHaveLength(1)
})

it('an orphan of another amount than the order that comes after it is MISMATCHED and not delivered', async () => {
  await pay({ outTradeNo: 'ORPHAN-SHORT', txn: 'orphan-short-1', amount: 100 })
  await minutes(32)

  await putOrder('ORPHAN-SHORT')
  await minutes(1)

  const after = await file('ORPHAN-SHORT')
  expect(after.order.status).toBe('WAIT_PAY')
  expect(after.order.frozen).toMatchObject({ reason: 'MISMATCH_AMOUNT' })
  expect(after.payments).toMatchObject([{ role: 'MISMATCHED', paid: 100 }])
  expect(merchant.deliveries('ORPHAN-SHORT')).toEqual([])
})
