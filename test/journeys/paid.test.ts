import { expect, it } from 'vitest'
import { openJourney, stepsOf, tasksOf } from '../support/journey.ts'
import { alipayNotice, partnerNotice, stripeNotice } from '../support/journey-notices.ts'

const journey = await openJourney()
const { merchant, stack, putOrder, startPayAttempt, file, send, pay, busEvents } = journey

it('an order that is paid once is delivered once, with a journal and bus events of every step', async () => {
  await putOrder('PAID-ONCE', { attributes: { shelf: 'B7' } })
  await startPayAttempt('PAID-ONCE')

  const answer = await pay({ outTradeNo: 'PAID-ONCE', txn: 'once-1' })

  const after = await file('PAID-ONCE')
  expect(answer).toEqual({ status: 200, body: '' })
  expect(after.order).toMatchObject({ status: 'DELIVERED', amount: 8800, currency: 'CNY' })
  expect(after.payments).toMatchObject([{ channelTxnId: 'once-1', role: 'APPLIED', paid: 8800, reserved: 0 }])
  expect(after.payAttempts).toMatchObject([{ outTradeNo: 'PAID-ONCE', state: 'PAID' }])
  expect(after.lines).toMatchObject([{ sku: 'tea', state: 'SOLD', deliveredAt: expect.any(String) }])
  expect(after.callbacks).toMatchObject([{ verdict: 'applied', seen: 1 }])
  expect(stepsOf(after)).toEqual([
    ' > WAIT_PAY by MERCHANT',
    'WAIT_PAY > PAYING by MERCHANT',
    'PAYING > PAID by CALLBACK',
    'PAID > DELIVERED by POLICY',
  ])
  expect(busEvents('PAID-ONCE').map(({ to }) => to)).toEqual(['WAIT_PAY', 'PAYING', 'PAID', 'DELIVERED'])
  expect(merchant.deliveries('PAID-ONCE')).toMatchObject([
    {
      id: after.lines[0]?.deliveryNo,
      genuine: true,
      data: { line: 1, sku: 'tea', quantity: 1, attributes: { shelf: 'B7' } },
    },
  ])
})

it('each line of an order is one delivery, and the last of them makes the order DELIVERED', async () => {
  const lines = ['tea', 'cup', 'pot'].map((sku) => ({ sku, quantity: 2 }))
  await putOrder('THREE-LINES', { lines })

  await pay({ outTradeNo: 'THREE-LINES', txn: 'three-1' })
  await journey.minutes(1)

  const after = await file('THREE-LINES')
  const sent = merchant.deliveries('THREE-LINES')
  expect(after.order.status).toBe('DELIVERED')
  expect(sent.map(({ data }) => data.sku).toSorted()).toEqual(['cup', 'pot', 'tea'])
  expect(new Set(sent.map(({ id }) => id))).toEqual(new Set(after.lines.map(({ deliveryNo }) => deliveryNo)))
})

it('the same callback twice is one payment, one journal entry and one delivery, counted as seen twice', async () => {
  await putOrder('SENT-TWICE')
  await startPayAttempt('SENT-TWICE')
  const notice = partnerNotice({ outTradeNo: 'SENT-TWICE', txn: 'twice-1' }, stack.clock.now())

  const answers = [await send(notice), await send(notice)]
  await stack.idle()

  const after = await file('SENT-TWICE')
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(after.callbacks).toMatchObject([{ verdict: 'applied', seen: 2 }])
  expect(after.payments).toHaveLength(1)
  expect(stepsOf(after).filter((step) => step.includes('> PAID'))).toHaveLength(1)
  expect(merchant.deliveries('SENT-TWICE')).toHaveLength(1)
})

it('ten copies of a callback at once are one payment and one delivery', async () => {
  await putOrder('TEN-COPIES')
  await startPayAttempt('TEN-COPIES')
  const notice = partnerNotice({ outTradeNo: 'TEN-COPIES', txn: 'ten-1' }, stack.clock.now())

  const answers = await Promise.all(Array.from({ length: 10 }, () => send(notice)))
  await stack.idle()

  const after = await file('TEN-COPIES')
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  expect(after.order.status).toBe('DELIVERED')
  expect(after.callbacks).toMatchObject([{ verdict: 'applied', seen: 10 }])
  expect(after.payments).toHaveLength(1)
  expect(stepsOf(after)).toHaveLength(4)
  expect(merchant.deliveries('TEN-COPIES')).toHaveLength(1)
})

it('ten different notices of one payment at once are one payment: one applied, nine duplicates', async () => {
  await putOrder('TEN-NOTICES')
  const notices = Array.from({ length: 10 }, (_, index) =>
    partnerNotice({ outTradeNo: 'TEN-NOTICES', txn: 'notices-1', id: `msg_${index}` }, stack.clock.now()),
  )

  await Promise.all(notices.map(send))
  await stack.idle()
  await journey.minutes(2)

  const after = await file('TEN-NOTICES')
  const verdicts = after.callbacks.map(({ verdict }) => verdict).toSorted()
  expect(verdicts).toEqual(['applied', ...Array<string>(9).fill('duplicate')])
  expect(after.payments).toHaveLength(1)
  expect(after.refunds).toEqual([])
  expect(merchant.deliveries('TEN-NOTICES')).toHaveLength(1)
})

it('the same notice five times for a DELIVERED order is answered positively each time and logs no error', async () => {
  await putOrder('ORDER-DELIVERED')
  const notice = partnerNotice({ outTradeNo: 'ORDER-DELIVERED', txn: 'delivered-1' }, stack.clock.now())
  await send(notice)
  await stack.idle()
  const before = await file('ORDER-DELIVERED')
  const errorsBefore = journey.errors.length

  const answers = []
  for (let count = 0; count < 5; count++) answers.push(await send(notice))
  await stack.idle()

  const after = await file('ORDER-DELIVERED')
  expect(before.order.status).toBe('DELIVERED')
  expect(answers).toEqual(Array(5).fill({ status: 200, body: '' }))
  expect(after.order).toEqual(before.order)
  expect(after.journal).toEqual(before.journal)
  expect(after.callbacks).toMatchObject([{ seen: 6 }])
  expect(journey.errors.slice(errorsBefore)).toEqual([])
})

it('a failure of the first try that comes after the second try was paid touches only its own try', async () => {
  await putOrder('ORDER-FAILED')
  await startPayAttempt('ORDER-FAILED', { outTradeNo: 'ORDER-FAILED' })
  await startPayAttempt('ORDER-FAILED', { outTradeNo: 'ORDER-FAILED_2' })
  await pay({ outTradeNo: 'ORDER-FAILED_2', txn: 'failed-2' })

  await pay({ outTradeNo: 'ORDER-FAILED', txn: 'failed-1', type: 'payment.failed' })

  const after = await file('ORDER-FAILED')
  expect(after.order.status).toBe('DELIVERED')
  expect(after.payAttempts.map(({ outTradeNo, state }) => `${outTradeNo} ${state}`)).toEqual([
    'ORDER-FAILED FAILED',
    'ORDER-FAILED_2 PAID',
  ])
})

it('a try that the channel called failed and then paid makes the order PAID', async () => {
  await putOrder('ORDER-THEN-PAID')
  await startPayAttempt('ORDER-THEN-PAID')
  await pay({ outTradeNo: 'ORDER-THEN-PAID', txn: 'then-paid-1', type: 'payment.failed' })
  const failed = await file('ORDER-THEN-PAID')

  await pay({ outTradeNo: 'ORDER-THEN-PAID', txn: 'then-paid-1' })

  const after = await file('ORDER-THEN-PAID')
  expect(failed.order.status).toBe('PAY_FAILED')
  expect(after.order.status).toBe('DELIVERED')
  expect(stepsOf(after)).toContain('PAY_FAILED > PAID by CALLBACK')
})

it('an order is paid through Stripe', async () => {
  await putOrder('BY-STRIPE')
  await startPayAttempt('BY-STRIPE', { channel: 'stripe', channelRef: 'pi_by_stripe' })

  const answer = await send(stripeNotice({ outTradeNo: 'BY-STRIPE', intent: 'pi_by_stripe' }, stack.clock.now()))
  await stack.idle()

  const after = await file('BY-STRIPE')
  expect(answer.status).toBe(200)
  expect(after.order.status).toBe('DELIVERED')
  expect(after.payments).toMatchObject([{ channel: 'stripe', channelTxnId: 'pi_by_stripe', role: 'APPLIED' }])
})

it('an order is paid through Alipay, whose notice is answered with the seven characters it waits for', async () => {
  await putOrder('BY_ALIPAY')
  await startPayAttempt('BY_ALIPAY', { channel: 'alipay' })

  const answer = await send(alipayNotice({ out_trade_no: 'BY_ALIPAY', trade_no: '2026113022001400000000000001' }))
  await stack.idle()

  const after = await file('BY_ALIPAY')
  expect(answer).toEqual({ status: 200, body: 'success' })
  expect(after.order.status).toBe('DELIVERED')
  expect(tasksOf(after, 'REVIEW')).toEqual([])
})
