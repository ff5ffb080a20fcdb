import { expect, it } from 'vitest'
import { openChannelDesk } from '../../functions/work/asking/channel-desk.ts'
import { settleCallbackHandler } from '../../functions/work/handlers/settle-callback.ts'
import { runTask } from '../../functions/work/run-task.ts'
import { takeCallback } from '../../modules/booking/take-callback.ts'
import type { PayAttemptRef } from '../../modules/channels/client.ts'
import type { Parse } from '../../modules/channels/parsers.ts'
import type { ChannelEvent } from '../../modules/core/channel-event.ts'
import { type OrderNo, parseChannelTxnId, parseOutTradeNo } from '../../modules/core/ids.ts'
import { plusMs } from '../../modules/core/instant.ts'
import { addChannelRefWrites } from '../../modules/ledger/pay-attempt/add-channel-ref-write.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { orderPk, orphanPk } from '../../modules/ledger/table/keys.ts'
import { money, sure } from '../support/core-builders.ts'
import { paidAnswer, withDesk } from '../support/desk.ts'
import {
  collectionOf,
  fileOf,
  forceOrder,
  forceRow,
  freshOrderNo,
  freshTxn,
  paid,
  putOrder,
  putPayingOrder,
  taskOf,
  tasksOf,
  verdictsOf,
} from '../support/ledger-builders.ts'
import { messageFor, openToAll, openWorld, type World } from '../support/world.ts'
import { aCallback, BANK, callbackOf, sha256 } from '../support/world-bank.ts'
import { heal } from '../support/world-heal.ts'

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
const questionsOf = async (world: World, orderNo: OrderNo) => tasksOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
const attemptKey = async (world: World, orderNo: OrderNo) => sure((await fileOf(world, orderNo)).payAttempts[0])

/** Runs the query task now and notes what the channel was asked by. */
async function askNow(
  world: World,
  orderNo: OrderNo,
  txn: string,
  bizNo = `${BANK}/${orderNo}`,
): Promise<Partial<PayAttemptRef>[]> {
  const asked: Partial<PayAttemptRef>[] = []
  const answer = paidAnswer(orderNo, txn)
  const desk = openChannelDesk({
    gate: openToAll,
    now: world.clock.now,
    sleep: async () => {},
    abilities: () => ({ canQuery: true, canClose: false, canQueryRefund: false }),
    clientAfresh: async () => undefined,
    client: async () => ({
      query: async (ref) => {
        asked.push(ref)
        return answer.kind === 'answer' ? answer.answer : expect.unreachable()
      },
    }),
  })
  const task = sure((await fileOf(world, orderNo)).tasks.find((row) => row.bizNo === bizNo))
  await runTask(withDesk(world, desk), messageFor(task, world.clock.now()), 'worker-1')
  return asked
}

it.each(['payment', 'failed', 'closed'] as const)(
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

it('a payment that was hinted at is booked by what the channel answers, at the amount that it answers', async () => {
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

it("a payAttempt is asked about by the channel's own number, and the payment that a hint names by its own", async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await forceRow(world.ledger, await attemptKey(world, orderNo), { channelRef: 'ref-1' }, world.clock.now())
  const txn = freshTxn()
  await hint(world, orderNo, { channelTxnId: sure(parseChannelTxnId(txn)) })

  const [payment] = await askNow(world, orderNo, txn, `${BANK}/${orderNo}/${txn}`)
  const again = await askNow(world, orderNo, txn)

  expect(payment).toMatchObject({ channelTxnId: txn })
  expect(payment).not.toHaveProperty('channelRef')
  expect((await fileOf(world, orderNo)).payments).toMatchObject([{ role: 'APPLIED', channelTxnId: txn }])
  expect(again).toEqual([])
})

it('a hint during the question leaves the worker its task, and the payment gets a question of its own', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const task = await queryOf(world, orderNo)
  const lease = { status: 'PROCESSING', lockedBy: 'worker-2', fence: 1 }
  await forceRow(world.ledger, task, lease, world.clock.now(), ['wake'])
  const txn = sure(parseChannelTxnId(freshTxn()))

  await hint(world, orderNo, { channelTxnId: txn })

  const questions = await questionsOf(world, orderNo)
  const after = sure(questions.find(({ bizNo }) => bizNo === task.bizNo))
  expect(after).toMatchObject({ ...lease, nextExecuteAt: task.nextExecuteAt })
  expect(after).not.toHaveProperty('wake')
  expect(after.requestSnapshot).not.toHaveProperty('channelTxnId')
  expect(questions.map(({ bizNo }) => bizNo)).toContain(`${BANK}/${orderNo}/${txn}`)
})

it('a question whose time has come is not asked for again, and learns the payment', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const task = await queryOf(world, orderNo)
  world.clock.set(plusMs(task.nextExecuteAt, 1))
  const txn = sure(parseChannelTxnId(freshTxn()))

  await hint(world, orderNo, { channelTxnId: txn })

  expect(await queryOf(world, orderNo)).toMatchObject({ wake: task.wake, requestSnapshot: { channelTxnId: txn } })
})

it.each(['SUCCESS', 'MANUAL', 'CLOSED'])(
  'a payment that is told of when the question is %s gets a question of its own, once',
  async (status) => {
    const world = await openWorld()
    const orderNo = await putPayingOrder(world)
    await forceRow(world.ledger, await queryOf(world, orderNo), { status }, world.clock.now())
    const before = await queryOf(world, orderNo)
    const txn = sure(parseChannelTxnId(freshTxn()))

    await hint(world, orderNo, { channelTxnId: txn })
    await hint(world, orderNo, { channelTxnId: txn })

    const questions = await questionsOf(world, orderNo)
    expect(questions).toHaveLength(2)
    expect(questions).toContainEqual(before)
    expect(questions.find(({ bizNo }) => bizNo !== before.bizNo)).toMatchObject({
      bizNo: `${BANK}/${orderNo}/${txn}`,
      status: 'WAITING',
      nextExecuteAt: world.clock.now(),
      requestSnapshot: { channelTxnId: txn },
    })
  },
)

it('a second payment that a hint tells of is asked for by its own number and given back', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await forceRow(world.ledger, await attemptKey(world, orderNo), { channelRef: 'ref-1' }, world.clock.now())
  await world.take(aCallback(paid(orderNo)))
  await askNow(world, orderNo, freshTxn())
  const second = freshTxn()
  await hint(world, orderNo, { channelTxnId: sure(parseChannelTxnId(second)) })

  const asked = await askNow(world, orderNo, second, `${BANK}/${orderNo}/${second}`)

  const file = await fileOf(world, orderNo)
  expect(asked).toMatchObject([{ channelTxnId: second }])
  expect(asked[0]).not.toHaveProperty('channelRef')
  expect(file.payments.map(({ role }) => role).toSorted()).toEqual(['APPLIED', 'SURPLUS'])
  expect(file.refunds).toMatchObject([{ cause: 'SURPLUS', channelTxnId: second }])
})

it('a payment that is in the ledger is not asked for again', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const data = paid(orderNo)
  await world.take(aCallback(data))
  await forceRow(world.ledger, await queryOf(world, orderNo), { status: 'SUCCESS' }, world.clock.now())

  await hint(world, orderNo, { channelTxnId: sure(parseChannelTxnId(data.txn)) })

  expect(await questionsOf(world, orderNo)).toHaveLength(1)
})

it('money under a number that nobody announced is asked for, and pays the order', async () => {
  const world = await openWorld()
  const orderNo = await putOrder(world)
  const txn = freshTxn()
  await hint(world, orderNo, { channelTxnId: sure(parseChannelTxnId(txn)) })

  const asked = await askNow(world, orderNo, txn, `${BANK}/${orderNo}/${txn}`)

  const file = await fileOf(world, orderNo)
  expect(asked).toMatchObject([{ outTradeNo: orderNo, channelTxnId: txn, money: money(8800) }])
  expect(file.order?.status).toBe('PAID')
  expect(file.payments).toMatchObject([{ role: 'APPLIED', channelTxnId: txn }])
})

it('a payment that is told of before its order waits for the order, and is asked for when it comes', async () => {
  const world = await openWorld()
  const orderNo = freshOrderNo()
  const channelTxnId = sure(parseChannelTxnId(freshTxn()))
  await hint(world, orderNo, { channelTxnId })
  const early = await fileOf(world, orderNo)
  expect(taskOf(early, 'SETTLE_CALLBACK').status).toBe('WAITING')

  await putOrder(world, { orderNo })
  await hint(world, orderNo, { channelTxnId })

  expect(verdictsOf(early)).toEqual(['parked'])
  expect(await questionsOf(world, orderNo)).toMatchObject([{ bizNo: `${BANK}/${orderNo}/${channelTxnId}` }])
})

it('a closed order is asked about as soon as a hint tells of money, not at the next look of the late watch', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await forceOrder(world, orderNo, { status: 'CLOSED', closedAt: world.clock.now() })
  world.clock.advance(5 * 60_000)
  const txn = freshTxn()
  await hint(world, orderNo, { channelTxnId: sure(parseChannelTxnId(txn)) })

  await askNow(world, orderNo, txn)

  expect((await fileOf(world, orderNo)).payments).toMatchObject([{ role: 'LATE', channelTxnId: txn }])
})

it('a hint of a failure without that payAttempt, or for no order, is recorded and asks nobody', async () => {
  const world = await openWorld()
  const withoutAttempt = await putOrder(world)
  const unknown = freshOrderNo()

  await hint(world, withoutAttempt, { kind: 'failed' })
  await hint(world, unknown, { kind: 'failed' })

  const files = await Promise.all([withoutAttempt, unknown].map((orderNo) => fileOf(world, orderNo)))
  expect(files.map(verdictsOf)).toEqual([['recorded'], ['recorded']])
  expect(files.flatMap((file) => tasksOf(file, 'QUERY_PAYMENT'))).toHaveLength(0)
})

it('a payment that names no order is a ticket', async () => {
  const world = await openWorld()
  const eventId = freshTxn()
  const channelTxnId = sure(parseChannelTxnId(freshTxn()))
  const event: ChannelEvent = { channel: BANK, eventId, kind: 'payment', trust: 'hint', channelTxnId }
  const callback = callbackOf(JSON.stringify(event), eventId)

  await takeCallback(world.takeDeps, callback, sha256(callback.body), { ok: true, events: [event] })

  const { tasks } = await collectionOf(world, orphanPk(BANK, channelTxnId))
  expect(tasks.filter(({ bizType }) => bizType === 'REVIEW')).toMatchObject([
    { status: 'MANUAL', lastErrorCode: 'PAYMENT_INCOMPLETE' },
  ])
})

it('of two payments that hints name before the question is asked, none is forgotten', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const [first, second] = [freshTxn(), freshTxn()]
  for (const txn of [first, second]) await hint(world, orderNo, { channelTxnId: sure(parseChannelTxnId(txn)) })

  await askNow(world, orderNo, first)
  await askNow(world, orderNo, second, `${BANK}/${orderNo}/${second}`)

  const { payments } = await fileOf(world, orderNo)
  expect(payments.map(({ channelTxnId, role }) => `${channelTxnId} ${role}`).toSorted()).toEqual(
    [`${first} APPLIED`, `${second} SURPLUS`].toSorted(),
  )
})

it('an order is not closed while the payment that a hint named is asked about, but it does not wait for ever', async () => {
  const world = await openWorld()
  const orderNo = await putOrder(world)
  await hint(world, orderNo, { channelTxnId: sure(parseChannelTxnId(freshTxn())) })
  const closeAt = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER').nextExecuteAt
  const tryToClose = async () => {
    const close = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
    await world.run(close)
    return fileOf(world, orderNo)
  }
  world.clock.set(closeAt)
  const waiting = await tryToClose()
  world.clock.set(plusMs(closeAt, 60 * 60_000))

  const after = await tryToClose()

  expect(waiting.order?.status).toBe('WAIT_PAY')
  expect(taskOf(waiting, 'CLOSE_ORDER')).toMatchObject({ status: 'WAITING', lastErrorCode: 'PAYMENT_IS_ASKED_ABOUT' })
  expect(after.order?.status).toBe('CLOSED')
})

/** The same world, whose kept hints are read as they were written. */
function readingHints(world: World): World {
  const readHint: Parse = ({ body }) => ({ ok: true, events: [JSON.parse(body.toString('utf8'))] })
  const handlers = {
    ...world.workDeps.handlers,
    SETTLE_CALLBACK: settleCallbackHandler(world.takeDeps, async (verified) => readHint(verified)),
  }
  const workDeps = { ...world.workDeps, handlers }
  return {
    ...world,
    workDeps,
    run: (task, lockedBy = 'worker-1') => runTask(workDeps, messageFor(task, world.clock.now()), lockedBy),
  }
}

it('a hint whose order came too late for its ladder is taken up again by the order itself', async () => {
  const world = readingHints(await openWorld())
  const orderNo = freshOrderNo()
  const txn = freshTxn()
  await hint(world, orderNo, { channelTxnId: sure(parseChannelTxnId(txn)) })
  await heal(world, [orderPk(orderNo)])
  const alone = await fileOf(world, orderNo)

  await putOrder(world, { orderNo })
  const reopened = taskOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK')
  await world.run(reopened)

  expect(taskOf(alone, 'SETTLE_CALLBACK').status).toBe('MANUAL')
  expect(reopened).toMatchObject({ status: 'WAITING', nextExecuteAt: world.clock.now() })
  expect(await questionsOf(world, orderNo)).toMatchObject([{ bizNo: `${BANK}/${orderNo}/${txn}` }])
})

it('a payment of a try that is over gets a question of its own, though that of the try still waits', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await forceRow(world.ledger, await attemptKey(world, orderNo), { state: 'CLOSED' }, world.clock.now())
  await forceOrder(world, orderNo, { openTries: 0 })
  const txn = freshTxn()

  await hint(world, orderNo, { channelTxnId: sure(parseChannelTxnId(txn)) })

  const questions = await questionsOf(world, orderNo)
  expect(questions.map(({ bizNo }) => bizNo)).toContain(`${BANK}/${orderNo}/${txn}`)
})

it('a capture that a hint named is asked about by its name, though the try gets a channelRef of something else later', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const channelTxnId = sure(parseChannelTxnId(freshTxn()))
  await hint(world, orderNo, { channelTxnId })
  const { payAttempts, tasks } = await fileOf(world, orderNo)

  const context = { policies: world.policies, now: world.clock.now() }
  const writes = addChannelRefWrites(sure(payAttempts[0]), 'ANOTHER-ORDER', { orderNo, tasks }, context)
  const result = await commit(world.ledger, writes, context.now)

  expect(result.kind).toBe('done')
  const named = (await questionsOf(world, orderNo)).find(({ bizNo }) => bizNo.endsWith(`/${channelTxnId}`))
  expect(named).toMatchObject({ status: 'WAITING', requestSnapshot: { channelTxnId } })
})

it('a channelRef that was read for before a hint came is set only after another look', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const { payAttempts, tasks } = await fileOf(world, orderNo)
  await hint(world, orderNo)

  const context = { policies: world.policies, now: world.clock.now() }
  const writes = addChannelRefWrites(sure(payAttempts[0]), 'ANOTHER-ORDER', { orderNo, tasks }, context)

  expect((await commit(world.ledger, writes, context.now)).kind).toBe('lost')
})
