import { expect, test } from 'vitest'
import type { ChannelEvent } from '../../functions/core/channel-event.ts'
import { type OrderNo, parseChannelTxnId, parseOutTradeNo } from '../../functions/core/ids.ts'
import { plusMs } from '../../functions/core/instant.ts'
import { takeCallback } from '../../functions/settlement/take-callback.ts'
import { type AskedAttempt, openChannelDesk } from '../../functions/work/channel-desk.ts'
import { runTask } from '../../functions/work/run-task.ts'
import { money, sure } from '../support/core-builders.ts'
import { paidAnswer, withDesk } from '../support/desk.ts'
import {
  fileOf,
  forceRow,
  freshOrderNo,
  freshTxn,
  putOrder,
  putPayingOrder,
  taskOf,
  tasksOf,
  verdictsOf,
} from '../support/ledger-builders.ts'
import { messageFor, openToAll, openWorld, type World } from '../support/world.ts'
import { BANK, callbackOf, sha256 } from '../support/world-bank.ts'

let hints = 0

/** Takes a notice whose figures nobody can trust. */
async function hint(world: World, outTradeNo: string, change: Partial<ChannelEvent> = {}): Promise<void> {
  const eventId = `hint-${++hints}`
  const event: ChannelEvent = {
    channel: BANK,
    eventId,
    kind: 'payment',
    trust: 'hint',
    outTradeNo: sure(parseOutTradeNo(outTradeNo)),
    channelTxnId: sure(parseChannelTxnId(freshTxn())),
    money: money(1),
    ...change,
  }
  const callback = callbackOf(JSON.stringify(event), eventId)
  await takeCallback(world.takeDeps, callback, sha256(callback.body), { ok: true, events: [event] })
}

const queryOf = async (world: World, orderNo: OrderNo) => taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
const attemptKey = async (world: World, orderNo: OrderNo) => sure((await fileOf(world, orderNo)).payAttempts[0])

/** Runs the query task now and notes what the channel was asked by. */
async function askNow(world: World, orderNo: OrderNo, txn: string): Promise<Partial<AskedAttempt>[]> {
  const asked: Partial<AskedAttempt>[] = []
  const answer = paidAnswer(orderNo, txn)
  const desk = openChannelDesk({
    gate: openToAll,
    now: world.clock.now,
    sleep: async () => {},
    abilities: () => ({ canQuery: true, canClose: false }),
    client: async () => ({
      query: async (ref) => {
        asked.push(ref)
        return answer.kind === 'answer' ? answer.answer : expect.unreachable()
      },
    }),
  })
  const task = await queryOf(world, orderNo)
  await runTask(withDesk(world, desk), messageFor(task, world.clock.now()), 'worker-1')
  return asked
}

test.each(['payment', 'failed', 'closed'] as const)(
  'a hint of kind %s has the channel asked now and moves nothing by itself',
  async (kind) => {
    const world = await openWorld()
    const orderNo = await putPayingOrder(world)
    const before = await fileOf(world, orderNo)

    await hint(world, orderNo, { kind })

    const after = await fileOf(world, orderNo)
    expect(after.order).toEqual(before.order)
    expect(after.payAttempts).toEqual(before.payAttempts)
    expect(after.payments).toHaveLength(0)
    expect(verdictsOf(after)).toEqual(['recorded'])
    expect(taskOf(after, 'QUERY_PAYMENT')).toMatchObject({
      status: 'WAITING',
      nextExecuteAt: world.clock.now(),
      wake: world.clock.now(),
      requestSnapshot: { wokenBy: after.callbacks[0]?.sk },
    })
  },
)

test('a payment that was hinted at is booked by what the channel answers, at the amount that it answers', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const txn = freshTxn()
  await hint(world, orderNo, { channelTxnId: sure(parseChannelTxnId(txn)) })

  const asked = await askNow(world, orderNo, txn)

  const file = await fileOf(world, orderNo)
  expect(asked).toMatchObject([{ outTradeNo: orderNo, channelTxnId: txn }])
  expect(file.order?.status).toBe('PAID')
  expect(file.payments).toMatchObject([{ role: 'APPLIED', paid: 8800 }])
})

test("a payAttempt with the channel's own number is asked by that, and not by what a hint names", async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await forceRow(world.ledger, await attemptKey(world, orderNo), { channelRef: 'ref-1' }, world.clock.now())
  await hint(world, orderNo)

  const [asked] = await askNow(world, orderNo, freshTxn())

  expect(asked).toMatchObject({ channelRef: 'ref-1' })
  expect(asked).not.toHaveProperty('channelTxnId')
})

test('a hint during the question leaves the worker its task and keeps the payment for the next one', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const task = await queryOf(world, orderNo)
  const lease = { status: 'PROCESSING', lockedBy: 'worker-2', fence: 1 }
  await forceRow(world.ledger, task, lease, world.clock.now(), ['wake'])
  const txn = sure(parseChannelTxnId(freshTxn()))

  await hint(world, orderNo, { channelTxnId: txn })

  const after = await queryOf(world, orderNo)
  expect(after).toMatchObject({ ...lease, nextExecuteAt: task.nextExecuteAt, requestSnapshot: { channelTxnId: txn } })
  expect(after).not.toHaveProperty('wake')
})

test('a question whose time has come is not asked for again, and learns the payment', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const task = await queryOf(world, orderNo)
  world.clock.set(plusMs(task.nextExecuteAt, 1))
  const txn = sure(parseChannelTxnId(freshTxn()))

  await hint(world, orderNo, { channelTxnId: txn })

  expect(await queryOf(world, orderNo)).toMatchObject({ wake: task.wake, requestSnapshot: { channelTxnId: txn } })
})

test.each(['SUCCESS', 'MANUAL', 'CLOSED'])('a question in %s stays as it is', async (status) => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await forceRow(world.ledger, await queryOf(world, orderNo), { status }, world.clock.now())
  const before = await queryOf(world, orderNo)

  await hint(world, orderNo)

  const after = await fileOf(world, orderNo)
  expect(taskOf(after, 'QUERY_PAYMENT')).toEqual(before)
  expect(verdictsOf(after)).toEqual(['recorded'])
})

test('a hint for an order without that payAttempt, or for no order, is recorded and asks nobody', async () => {
  const world = await openWorld()
  const withoutAttempt = await putOrder(world)
  const unknown = freshOrderNo()

  await hint(world, withoutAttempt)
  await hint(world, unknown)

  const files = await Promise.all([withoutAttempt, unknown].map((orderNo) => fileOf(world, orderNo)))
  expect(files.map(verdictsOf)).toEqual([['recorded'], ['recorded']])
  expect(files.flatMap((file) => tasksOf(file, 'QUERY_PAYMENT'))).toHaveLength(0)
})
