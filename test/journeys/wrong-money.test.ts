import { expect, it } from 'vitest'
import { type OrderFile, openJourney, tasksOf } from '../support/journey.ts'
import { alipayNotice, partnerNotice, stripeNotice } from '../support/journey-notices.ts'

const journey = await openJourney({ empty: ['Secrets/Channel-wechatpay'] })
const { merchant, stack, minutes, putOrder, startPayAttempt, file, send, pay } = journey

it.each([
  ['SHORT-SUM', { amount: 4000, currency: 'CNY' }, 'MISMATCH_AMOUNT'],
  ['LARGE-SUM', { amount: 8801, currency: 'CNY' }, 'MISMATCH_AMOUNT'],
  ['OTHER-CURRENCY', { amount: 8800, currency: 'USD' }, 'MISMATCH_CURRENCY'],
])('%s is recorded as MISMATCHED with a ticket, and nothing is delivered', async (orderNo, money, reason) => {
  await putOrder(orderNo)
  await startPayAttempt(orderNo)

  const answer = await pay({ outTradeNo: orderNo, txn: `${orderNo}-1`, ...money })
  await minutes(3)

  const after = await file(orderNo)
  expect(answer.status).toBe(200)
  expect(after.order.status).toBe('PAYING')
  expect(after.order.frozen).toMatchObject({ reason })
  expect(after.payments).toMatchObject([
    { role: 'MISMATCHED', paid: money.amount, currency: money.currency, reserved: 0 },
  ])
  expect(after.callbacks).toMatchObject([{ verdict: 'mismatched' }])
  expect(tasksOf(after, 'REVIEW')).toMatchObject([
    { status: 'MANUAL', lastErrorCode: reason, taskNo: after.order.frozen?.taskNo },
  ])
  expect(tasksOf(after, 'START_EXECUTION')).toHaveLength(1)
  expect(merchant.deliveries(orderNo)).toEqual([])
})

it('a wrong amount for an order that is delivered already changes nothing but its being frozen', async () => {
  await putOrder('MISMATCH-LATER')
  await pay({ outTradeNo: 'MISMATCH-LATER', txn: 'later-1' })

  await pay({ outTradeNo: 'MISMATCH-LATER', txn: 'later-2', amount: 1 })

  const after = await file('MISMATCH-LATER')
  expect(after.order).toMatchObject({ status: 'DELIVERED', frozen: { reason: 'MISMATCH_AMOUNT' } })
  expect(after.payments.map(({ role }) => role).toSorted()).toEqual(['APPLIED', 'MISMATCHED'])
  expect(after.refunds).toEqual([])
})

it('the full sum after a short one is applied, but a frozen order is not delivered', async () => {
  await putOrder('SHORT-THEN-FULL')
  await pay({ outTradeNo: 'SHORT-THEN-FULL', txn: 'full-1', amount: 800 })

  await pay({ outTradeNo: 'SHORT-THEN-FULL', txn: 'full-2' })
  await minutes(35)

  const after = await file('SHORT-THEN-FULL')
  expect(after.order.status).toBe('PAID')
  expect(after.payments.map(({ role }) => role).toSorted()).toEqual(['APPLIED', 'MISMATCHED'])
  expect(tasksOf(after, 'DELIVER')).toMatchObject([{ status: 'WAITING', lastErrorCode: 'ORDER_FROZEN', attempts: [] }])
  expect(merchant.deliveries('SHORT-THEN-FULL')).toEqual([])
})

it('one transaction with two sums freezes its order and asks a person', async () => {
  await putOrder('TWO-STORIES')
  await pay({ outTradeNo: 'TWO-STORIES', txn: 'stories-1' })

  await pay({ outTradeNo: 'TWO-STORIES', txn: 'stories-1', amount: 9900, id: 'msg_second_story' })

  const after = await file('TWO-STORIES')
  expect(after.order).toMatchObject({ status: 'DELIVERED', frozen: { reason: 'TXN_OTHER_MONEY' } })
  expect(after.payments).toMatchObject([{ role: 'APPLIED', paid: 8800 }])
  expect(tasksOf(after, 'REVIEW')).toMatchObject([{ status: 'MANUAL', lastErrorCode: 'TXN_OTHER_MONEY' }])
})

it('one transaction for two orders pays the first and freezes both', async () => {
  await putOrder('FIRST-OWNER')
  await putOrder('SECOND-OWNER')
  await pay({ outTradeNo: 'FIRST-OWNER', txn: 'owner-1' })

  await pay({ outTradeNo: 'SECOND-OWNER', txn: 'owner-1', id: 'msg_second_owner' })

  const [first, second] = [await file('FIRST-OWNER'), await file('SECOND-OWNER')]
  expect(first.order).toMatchObject({ status: 'DELIVERED', frozen: { reason: 'TXN_OTHER_ORDER' } })
  expect(second.order).toMatchObject({ status: 'WAIT_PAY', frozen: { reason: 'TXN_OTHER_ORDER' } })
  expect(second.payments).toEqual([])
  expect(merchant.deliveries('SECOND-OWNER')).toEqual([])
})

it.each([
  ['a forged signature', () => partnerNotice({ ...MONEY, secret: `whsec_${'A'.repeat(44)}` }, stack.clock.now())],
  ['a signature of ten minutes ago', () => partnerNotice(MONEY, stack.clock.now() - 600_000)],
  ['no signature', () => ({ ...partnerNotice(MONEY, stack.clock.now()), headers: {} })],
  ['another body than the signed one', () => withOtherBody()],
  ['a live event of Stripe in a test account', () => stripeNotice({ ...INTENT, livemode: true }, stack.clock.now())],
  [
    'an event of a foreign Stripe account',
    () => stripeNotice({ ...INTENT, account: 'acct_foreign' }, stack.clock.now()),
  ],
  ['a trade of another seller at Alipay', () => alipayNotice({ ...TRADE, seller_id: '2088000000000099' })],
  ['a trade of another app at Alipay', () => alipayNotice({ ...TRADE, app_id: '2021000000000099' })],
])('%s is refused at the edge: nothing is recorded and the order is as it was', async (_, notice) => {
  await putOrder('REFUSED_1')
  const before = await file('REFUSED_1')

  const answer = await send(notice())
  await stack.idle()

  expect(answer.status).toBe(400)
  expect(withoutClose(await file('REFUSED_1'))).toEqual(withoutClose(before))
})

it('a channel whose secret nobody has filled takes no callback and asks for it again', async () => {
  const answer = await send({ channel: 'wechatpay', headers: {}, body: '{}' })

  expect(answer.status).toBe(503)
})

it('a channel that is not configured has no address', async () => {
  const answer = await send({ channel: 'unknown', headers: {}, body: '{}' })

  expect(answer.status).toBe(404)
})

it('a close of a trade that nobody paid ends its try and refunds nothing', async () => {
  await putOrder('ORDER_CLOSED')
  await startPayAttempt('ORDER_CLOSED', { channel: 'alipay' })

  const answer = await send(
    alipayNotice({
      out_trade_no: 'ORDER_CLOSED',
      trade_no: '2026113022001400000000000096',
      trade_status: 'TRADE_CLOSED',
      gmt_payment: '',
    }),
  )
  await stack.idle()

  const after = await file('ORDER_CLOSED')
  expect(answer).toEqual({ status: 200, body: 'success' })
  expect(after.payAttempts).toMatchObject([{ state: 'CLOSED' }])
  expect(after.order.status).toBe('PAY_FAILED')
  expect(after.refunds).toEqual([])
})

const MONEY = { outTradeNo: 'REFUSED_1', txn: 'refused-1' }
const INTENT = { outTradeNo: 'REFUSED_1', intent: 'pi_refused' }
const TRADE = { out_trade_no: 'REFUSED_1', trade_no: '2026113022001400000000000018' }

function withOtherBody() {
  const notice = partnerNotice(MONEY, stack.clock.now())
  return { ...notice, body: notice.body.replace('8800', '88') }
}

/** The order's own clock may go on meanwhile. */
function withoutClose({ tasks: _, ...rest }: OrderFile) {
  return rest
}
