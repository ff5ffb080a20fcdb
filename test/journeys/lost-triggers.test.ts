import { expect, it } from 'vitest'
import { MINUTE_MS, openJourney, tasksOf } from '../support/journey.ts'
import { partnerNotice } from '../support/journey-notices.ts'
import { callbackMessage, loseTriggers, queueName, taskMessage } from '../support/journey-queues.ts'

const { merchant, stack, minutes, putOrder, file, send, pay } = await openJourney()

it('a retry whose message was lost is found by the sweep', async () => {
  await putOrder('LOST-MESSAGE')
  merchant.answer('LOST-MESSAGE', 503)
  await pay({ outTradeNo: 'LOST-MESSAGE', txn: 'message-1' })
  await loseTriggers(stack, 'merchant', await deliveryOf('LOST-MESSAGE'))
  merchant.answer('LOST-MESSAGE', 200)
  await minutes(2)
  const lost = await file('LOST-MESSAGE')

  await minutes(2)

  const after = await file('LOST-MESSAGE')
  expect(tasksOf(lost, 'DELIVER')).toMatchObject([{ status: 'RETRY', attempts: [{ no: 1 }] }])
  expect(after.order.status).toBe('DELIVERED')
  expect(tasksOf(after, 'DELIVER')).toMatchObject([{ status: 'SUCCESS', retryCount: 1 }])
})

it('an order whose close timer was lost is closed by the sweep', async () => {
  await putOrder('LOST-TIMER')
  await stack.idle()
  const [close] = tasksOf(await file('LOST-TIMER'), 'CLOSE_ORDER')
  await loseTriggers(stack, 'internal', String(close?.taskNo))
  await minutes(16)
  const late = await file('LOST-TIMER')

  await minutes(3)

  const after = await file('LOST-TIMER')
  expect(late.order.status).toBe('WAIT_PAY')
  expect(after.order.status).toBe('CLOSED')
  expect(after.lines).toMatchObject([{ state: 'RELEASED' }])
})

it('a callback message that the queue hands out again is the same callback', async () => {
  await putOrder('MESSAGE-AGAIN')
  const notice = partnerNotice({ outTradeNo: 'MESSAGE-AGAIN', txn: 'again-1' }, stack.clock.now())
  await send(notice)
  await stack.idle()

  const message = { body: callbackMessage(notice, stack.clock.now()) }
  const queue = queueName(stack, 'Settling/Callbacks/Queue')
  await Promise.all([stack.sqs.send(queue, message), stack.sqs.send(queue, message)])
  await stack.idle()

  const after = await file('MESSAGE-AGAIN')
  expect(after.callbacks).toMatchObject([{ verdict: 'applied', seen: 3 }])
  expect(after.payments).toHaveLength(1)
  expect(merchant.deliveries('MESSAGE-AGAIN')).toHaveLength(1)
})

it('five triggers of a due delivery at once are one try', async () => {
  await putOrder('FIVE-TRIGGERS')
  merchant.answer('FIVE-TRIGGERS', 503)
  await pay({ outTradeNo: 'FIVE-TRIGGERS', txn: 'five-1' })
  const taskNo = await deliveryOf('FIVE-TRIGGERS')
  await stack.leapBy(MINUTE_MS * 1.2)
  await loseTriggers(stack, 'merchant', taskNo)
  await minutes(4)
  const before = merchant.deliveries('FIVE-TRIGGERS').length
  merchant.answer('FIVE-TRIGGERS', 200)

  await triggerAtOnce('FIVE-TRIGGERS', taskNo, 5)

  expect(before).toBe(2)
  expect((await file('FIVE-TRIGGERS')).order.status).toBe('DELIVERED')
  expect(merchant.deliveries('FIVE-TRIGGERS')).toHaveLength(3)
})

it('a trigger that comes too early, or again after the delivery, does nothing', async () => {
  await putOrder('STALE-TRIGGER')
  merchant.answer('STALE-TRIGGER', 503)
  await pay({ outTradeNo: 'STALE-TRIGGER', txn: 'stale-1' })
  const taskNo = await deliveryOf('STALE-TRIGGER')
  await triggerAtOnce('STALE-TRIGGER', taskNo, 2)
  const early = merchant.deliveries('STALE-TRIGGER').length
  merchant.answer('STALE-TRIGGER', 200)
  await minutes(2)

  await triggerAtOnce('STALE-TRIGGER', taskNo, 3)

  const after = await file('STALE-TRIGGER')
  expect(early).toBe(1)
  expect(after.order.status).toBe('DELIVERED')
  expect(tasksOf(after, 'DELIVER')[0]?.attempts).toHaveLength(2)
  expect(merchant.deliveries('STALE-TRIGGER')).toHaveLength(2)
})

it('messages that nobody can read hold up no others, and end in the bucket or the lane`s dead letters', async () => {
  await putOrder('BESIDE-POISON')
  const callbacks = queueName(stack, 'Settling/Callbacks/Queue')
  const poison = await stack.sqs.send(callbacks, { body: 'no json' })
  const notice = partnerNotice({ outTradeNo: 'BESIDE-POISON', txn: 'beside-1' }, stack.clock.now())
  await stack.sqs.send(callbacks, { body: callbackMessage(notice, stack.clock.now()) })
  await stack.sqs.send(queueName(stack, 'Tasks/Lane-merchant/Queue'), { body: '{"v":1}' })
  await stack.idle()
  const beside = await file('BESIDE-POISON')

  await minutes(32)

  const after = await file('BESIDE-POISON')
  const kept = stack.s3.writtenAfter(0, 1000).map(({ key }) => key)
  expect(beside.order.status).toBe('DELIVERED')
  expect(after.callbacks).toMatchObject([{ seen: 1 }])
  expect(kept).toContain(`salvage/${poison.messageId}.json`)
  expect(waitingIn('Settling/Callbacks/Queue')).toBe(0)
  expect(waitingIn('Settling/Callbacks/DeadLetters/Queue')).toBe(0)
  expect(waitingIn('Tasks/Lane-merchant/DeadLetters/Queue')).toBe(1)
})

async function deliveryOf(orderNo: string): Promise<string> {
  const [task] = tasksOf(await file(orderNo), 'DELIVER')
  return String(task?.taskNo)
}

async function triggerAtOnce(orderNo: string, taskNo: string, count: number): Promise<void> {
  const body = taskMessage(orderNo, taskNo, 'merchant', new Date(stack.clock.now()).toISOString())
  const lane = queueName(stack, 'Tasks/Lane-merchant/Queue')
  await Promise.all(Array.from({ length: count }, () => stack.sqs.send(lane, { body })))
  await stack.idle()
}

function waitingIn(path: string): number {
  const { visible, inFlight, delayed } = stack.sqs.counts(queueName(stack, path))
  return visible + inFlight + delayed
}
