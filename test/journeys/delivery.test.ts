import { expect, it } from 'vitest'
import { MINUTE_MS, openJourney, type Task, tasksOf } from '../support/journey.ts'

const { merchant, stack, minutes, putOrder, file, pay } = await openJourney()

/** Minutes between the tries of a delivery. Source: docs/design/task-types.md */
const LADDER = [1, 3, 10, 30, 60]

it('a delivery to a merchant that is out for an hour arrives on the ladder, under one id in every try', async () => {
  await putOrder('OUT-AN-HOUR')
  merchant.answer('OUT-AN-HOUR', 503)
  await pay({ outTradeNo: 'OUT-AN-HOUR', txn: 'hour-1' })
  await minutes(60)
  const waiting = await file('OUT-AN-HOUR')

  merchant.answer('OUT-AN-HOUR', 200)
  await minutes(60)

  const after = await file('OUT-AN-HOUR')
  const tries = merchant.deliveries('OUT-AN-HOUR')
  expect(waiting.order.status).toBe('PAID')
  expect(after.order.status).toBe('DELIVERED')
  expect(tries).toHaveLength(6)
  expect(new Set(tries.map(({ id }) => id))).toEqual(new Set([after.lines[0]?.deliveryNo]))
  expect(tries.every(({ genuine }) => genuine)).toBe(true)
  expect(new Set(tries.map(({ signedAtS }) => signedAtS)).size).toBe(6)
  const [task] = tasksOf(after, 'DELIVER')
  expect(task?.attempts.map(({ outcome, httpStatus }) => `${outcome} ${httpStatus}`)).toEqual([
    ...Array<string>(5).fill('unknown 503'),
    'done 200',
  ])
  expectLadder(task)
})

it('a merchant whose port is closed is never counted as having got the delivery, and gets it when it is back', async () => {
  await putOrder('PORT-CLOSED')
  await merchant.goDown()
  await pay({ outTradeNo: 'PORT-CLOSED', txn: 'port-1' })
  await minutes(2)

  await merchant.comeUp()
  await minutes(4)

  const after = await file('PORT-CLOSED')
  const [task] = tasksOf(after, 'DELIVER')
  expect(after.order.status).toBe('DELIVERED')
  expect(task?.attempts).toMatchObject([
    { outcome: 'transient', networkErrorType: 'connect-refused' },
    { outcome: 'transient', networkErrorType: 'connect-refused' },
    { outcome: 'done', httpStatus: 200 },
  ])
  expect(merchant.deliveries('PORT-CLOSED')).toHaveLength(1)
})

it('a delivery that never succeeds is a ticket after the last rung, with every try on record', async () => {
  await putOrder('NEVER-TAKEN')
  merchant.answer('NEVER-TAKEN', 500)
  await pay({ outTradeNo: 'NEVER-TAKEN', txn: 'taken-1' })

  await minutes(120)

  const after = await file('NEVER-TAKEN')
  const [task] = tasksOf(after, 'DELIVER')
  expect(after.order.status).toBe('PAID')
  expect(task).toMatchObject({ status: 'MANUAL', retryCount: 5, lastErrorCode: 'RETRIES_USED_UP' })
  expect(task?.attempts.map(({ no, outcome }) => `${no} ${outcome}`)).toEqual(
    [1, 2, 3, 4, 5, 6].map((no) => `${no} unknown`),
  )
  expectLadder(task)
  expect(tasksOf(after, 'START_EXECUTION')).toMatchObject([
    { bizNo: `${task?.taskNo}/1`, status: 'WAITING', lastErrorCode: 'NO_HANDLER' },
  ])
  expect(merchant.deliveries('NEVER-TAKEN')).toHaveLength(6)
})

it.each([400, 401, 404, 409, 410, 422])('a merchant that answers %i is a ticket at once', async (status) => {
  const orderNo = `REFUSED-${status}`
  await putOrder(orderNo)
  merchant.answer(orderNo, status)

  await pay({ outTradeNo: orderNo, txn: `refused-${status}` })

  const after = await file(orderNo)
  expect(after.order.status).toBe('PAID')
  expect(tasksOf(after, 'DELIVER')).toMatchObject([
    {
      status: 'MANUAL',
      retryCount: 0,
      lastErrorCode: `HTTP_${status}`,
      attempts: [{ no: 1, outcome: 'rejected', httpStatus: status }],
    },
  ])
  expect(tasksOf(after, 'START_EXECUTION')).toHaveLength(1)
})

it('a delivery that was taken with 202 is asked for again until the merchant says done', async () => {
  await putOrder('TAKEN-202')
  merchant.answer('TAKEN-202', 202)
  await pay({ outTradeNo: 'TAKEN-202', txn: '202-1' })
  const taken = await file('TAKEN-202')

  merchant.answer('TAKEN-202', 200)
  await minutes(2)

  const after = await file('TAKEN-202')
  expect(taken.order.status).toBe('PAID')
  expect(after.order.status).toBe('DELIVERED')
  expect(tasksOf(after, 'DELIVER')).toMatchObject([
    {
      status: 'SUCCESS',
      attempts: [
        { outcome: 'notYet', httpStatus: 202 },
        { outcome: 'done', httpStatus: 200 },
      ],
    },
  ])
  expect(new Set(merchant.deliveries('TAKEN-202').map(({ id }) => id)).size).toBe(1)
})

it('a line that the merchant refuses holds up no other line of its order', async () => {
  await putOrder('ONE-REFUSED', { lines: ['tea', 'cup'].map((sku) => ({ sku, quantity: 1 })) })
  await putOrder('OTHER-ORDER')
  merchant.answer('ONE-REFUSED', 503)
  await pay({ outTradeNo: 'ONE-REFUSED', txn: 'one-refused-1' })

  await pay({ outTradeNo: 'OTHER-ORDER', txn: 'other-order-1' })
  await stack.leapBy(30_000)

  const tried = new Set(merchant.deliveries('ONE-REFUSED').map(({ data }) => data.sku))
  expect(tried).toEqual(new Set(['tea', 'cup']))
  expect((await file('ONE-REFUSED')).order.status).toBe('PAID')
  expect((await file('OTHER-ORDER')).order.status).toBe('DELIVERED')
})

/** Each retry was planned for its rung, give or take a tenth. */
function expectLadder(task: Task | undefined): void {
  const planned = (task?.attempts ?? []).flatMap(({ closedAt, nextExecuteAt }) =>
    closedAt === undefined || nextExecuteAt === undefined ? [] : [Date.parse(nextExecuteAt) - Date.parse(closedAt)],
  )
  expect(planned).toHaveLength(LADDER.length)
  for (const [index, minutesApart] of LADDER.entries()) {
    const ratio = (planned[index] ?? 0) / (minutesApart * MINUTE_MS)
    expect(ratio).toBeGreaterThanOrEqual(0.9)
    expect(ratio).toBeLessThanOrEqual(1.1)
  }
}
