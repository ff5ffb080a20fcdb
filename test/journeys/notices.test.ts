import { expect, it } from 'vitest'
import { noticeTypes } from '../../modules/core/notice.ts'
import { openJourney, tasksOf } from '../support/journey.ts'

const { merchant, stack, minutes, putOrder, startPayAttempt, replayNotices, file, pay } = await openJourney({
  notices: noticeTypes,
})

it('a merchant is told of a paid order by signed notices that he can put in order', async () => {
  await putOrder('TOLD-PAID', { attributes: { shop: 'north', desk: '7' } })

  await pay({ outTradeNo: 'TOLD-PAID', txn: 'told-1' })

  const notices = merchant.notices('TOLD-PAID').toSorted((a, b) => (a.data.sequence ?? 0) - (b.data.sequence ?? 0))
  expect(notices.map(({ type, data }) => `${data.sequence} ${type}`)).toEqual([
    '1 order.paid',
    '2 payment.applied',
    '3 order.delivered',
  ])
  expect(notices.every(({ genuine }) => genuine)).toBe(true)
  expect(notices[1]?.data).toMatchObject({
    id: 'TOLD-PAID/2',
    orderNo: 'TOLD-PAID',
    channel: 'partner',
    channelTxnId: 'told-1',
    amount: 8800,
    currency: 'CNY',
    attributes: { desk: '7', shop: 'north' },
  })
  expect((await file('TOLD-PAID')).order.status).toBe('DELIVERED')
})

it('a merchant who was out is told when he is back, under one id in every try, and of the close and the late money too', async () => {
  await putOrder('TOLD-LATE')
  await startPayAttempt('TOLD-LATE')
  merchant.answer('TOLD-LATE', 503)
  await minutes(25)
  await pay({ outTradeNo: 'TOLD-LATE', txn: 'told-2' })

  merchant.answer('TOLD-LATE', 200)
  await minutes(70)

  const tries = Map.groupBy(merchant.notices('TOLD-LATE'), ({ data }) => data.sequence)
  expect([...tries.keys()].toSorted()).toEqual([1, 2, 3])
  expect([...tries.values()].map(([first]) => first?.type).toSorted()).toEqual([
    'order.closed',
    'payment.late',
    'refund.created',
  ])
  for (const told of tries.values()) expect(new Set(told.map(({ id, bytes }) => `${id} ${bytes}`)).size).toBe(1)
  expect(tasksOf(await file('TOLD-LATE'), 'NOTIFY').map(({ status }) => status)).toEqual(Array(3).fill('SUCCESS'))
})

it('a merchant who lost what he was told has it told again', async () => {
  await putOrder('TOLD-AGAIN')
  await pay({ outTradeNo: 'TOLD-AGAIN', txn: 'told-3' })
  const before = merchant.notices('TOLD-AGAIN')

  const answer = await replayNotices('TOLD-AGAIN', { fromSequence: 2 })
  await stack.idle()

  expect(answer.status).toBe(202)
  const again = merchant.notices('TOLD-AGAIN').slice(before.length)
  expect(again.map(({ data }) => data.sequence).toSorted()).toEqual([2, 3])
  for (const { id, bytes } of again) expect(before.find((notice) => notice.id === id)?.bytes).toBe(bytes)
})
