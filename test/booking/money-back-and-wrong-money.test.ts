import { expect, it } from 'vitest'
import type { ChannelDesk } from '../../functions/work/asking/channel-desk.ts'
import { runTask } from '../../functions/work/run-task.ts'
import { parseInstant } from '../../modules/core/instant.ts'
import { sure } from '../support/core-builders.ts'
import { openDesk, paidAnswer, withDesk } from '../support/desk.ts'
import {
  fileOf,
  forceOrder,
  forceRow,
  freshTxn,
  paid,
  putPayingOrder,
  taskOf,
  tasksOf,
} from '../support/ledger-builders.ts'
import { messageFor, minutesAfter, openWorld, type World } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

async function aSurplus(world: World) {
  const orderNo = await putPayingOrder(world)
  const [first, second] = [paid(orderNo), paid(orderNo)]
  await world.take(aCallback(first))
  await world.take(aCallback(second))
  return { orderNo, first, second }
}

it.each(['refunded', 'refund.failed', 'refund.pending'])(
  "'%s' told of a paid order leaves it paid and its goods sold; only our own refund may change that",
  async (type) => {
    const world = await openWorld()
    const orderNo = await putPayingOrder(world)
    const data = paid(orderNo)
    await world.take(aCallback(data))
    const before = await fileOf(world, orderNo)

    await world.take(aCallback({ ...data, refund_no: 'theirs-1' }, { type }))

    const after = await fileOf(world, orderNo)
    expect(after.order?.status).toBe('PAID')
    expect(after.lines).toEqual(before.lines)
    expect(after.payments).toMatchObject([{ role: 'APPLIED', reserved: 0, refunded: 0 }])
  },
)

it('the number and the key of a refund follow from its money: found again, it is the same refund', async () => {
  const world = await openWorld()
  const { orderNo, second } = await aSurplus(world)
  const before = await fileOf(world, orderNo)

  for (let time = 0; time < 3; time++) await world.take(aCallback(second))
  await Promise.all([world.take(aCallback(second)), world.take(aCallback(second))])

  const after = await fileOf(world, orderNo)
  const { idempotencyKey, bizNo } = taskOf(after, 'REFUND')
  expect(after.refunds).toEqual(before.refunds)
  expect(bizNo).toBe(after.refunds[0]?.refundNo)
  expect(idempotencyKey).toBe(`${bizNo}-1`)
})

it.each(['CREATED', 'SUBMITTED', 'UNKNOWN'] as const)(
  'no timer ends a refund that is %s: close and sweep leave it and its reservation alone',
  async (state) => {
    const world = await openWorld()
    const { orderNo } = await aSurplus(world)
    const [refund] = (await fileOf(world, orderNo)).refunds
    const { pk, sk } = sure(refund)
    await forceRow(world.ledger, { pk, sk }, { state }, world.clock.now())
    await forceOrder(world, orderNo, { status: 'REFUNDING' })
    const before = await fileOf(world, orderNo)
    world.clock.set(minutesAfter(world.clock.now(), 24 * 60))

    await world.run(taskOf(before, 'CLOSE_ORDER'))
    await world.run(taskOf(before, 'REFUND'))

    const after = await fileOf(world, orderNo)
    expect(after.refunds).toEqual(before.refunds)
    expect(after.payments).toEqual(before.payments)
    expect(after.order).toEqual(before.order)
    expect(taskOf(after, 'REFUND')).toMatchObject({ status: 'WAITING', retryCount: 0, attempts: 0 })
  },
)

it('money that is found by a question after midnight bears the time when it was paid, not when it was asked for', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const paidAt = sure(parseInstant('2026-02-28T15:59:57.000Z'))
  const asked = paidAnswer(orderNo, freshTxn())
  if (asked.kind !== 'answer' || asked.answer.event === undefined) return expect.unreachable()
  const { answer } = asked
  const desk: ChannelDesk = openDesk([
    { kind: 'answer', answer: { ...answer, event: { ...asked.answer.event, paidAt } } },
  ])
  const task = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
  world.clock.set(task.nextExecuteAt)

  await runTask(withDesk(world, desk), messageFor(task, world.clock.now()), 'worker-1')

  const file = await fileOf(world, orderNo)
  expect(file.payments).toMatchObject([{ role: 'APPLIED', paidAt }])
  expect(file.journal.at(-1)?.at).toBe(world.clock.now())
})

it('money of the wrong sum is answered positively and kept open: ticket, freeze, and no goods however often it is told', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const data = paid(orderNo, { amount: 1 })

  for (let time = 0; time < 3; time++) await world.take(aCallback(data))
  world.clock.set(minutesAfter(world.clock.now(), 24 * 60))
  for (const task of (await fileOf(world, orderNo)).tasks) await world.run(task)

  const file = await fileOf(world, orderNo)
  expect(taskOf(file, 'REVIEW')).toMatchObject({ status: 'MANUAL', lastErrorCode: 'MISMATCH_AMOUNT' })
  expect(file.order).toMatchObject({ status: 'PAYING', frozen: { reason: 'MISMATCH_AMOUNT' } })
  expect(tasksOf(file, 'DELIVER')).toEqual([])
})

it('a merchant is not told "paid" of an order that is closed: he hears of late money and of its refund', async () => {
  const world = await openWorld({
    notices: new Set(['order.paid', 'payment.applied', 'payment.late', 'refund.created']),
  })
  const orderNo = await putPayingOrder(world)
  await forceOrder(world, orderNo, { status: 'CLOSED', closedAt: world.clock.now() })

  await world.take(aCallback(paid(orderNo)))

  const file = await fileOf(world, orderNo)
  const told = tasksOf(file, 'NOTIFY').map(({ requestSnapshot }) => requestSnapshot?.['type'])
  expect(told.toSorted()).toEqual(['payment.late', 'refund.created'])
  expect(file.journal.map(({ to }) => to)).not.toContain('PAID')
})
