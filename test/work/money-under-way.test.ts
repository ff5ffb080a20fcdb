import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { sweepRow } from '../../functions/sweep/sweep-row.ts'
import type { Asked } from '../../functions/work/asking/channel-desk.ts'
import { MOVING_WINDOW_MS } from '../../functions/work/asking/expiry.ts'
import type { TaskType } from '../../modules/core/task-policies.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { closable, moving } from '../support/desk.ts'
import { runWhenDue } from '../support/due-task.ts'
import { openFakeChannel } from '../support/fake-channel.ts'
import { endOf, fileOf, orderOf, paid, putPayingOrder, taskOf, tasksOf } from '../support/ledger-builders.ts'
import { openWorld, type World } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

const MINUTE = 60_000
const RUNGS = 6

/** The ladder of questions as it is, cut off after its last step, so that a test can climb every rung. */
const shortLadder = {
  QUERY_PAYMENT: {
    ladder: {
      kind: 'steps',
      stepsMs: [5000, 30_000, 2 * MINUTE, MINUTE, 3 * MINUTE, 10 * MINUTE],
    },
    totalMs: 30 * 24 * 3_600_000,
  },
} as const

async function openAsked(overrides = {}) {
  const channel = openFakeChannel()
  const world = await openWorld({ channel, overrides })
  return { channel, world, orderNo: await putPayingOrder(world) }
}

/**
 * Runs whichever of the order's question and close is due next, until the question waits for a person; money has been under way
 * for weeks.
 */
async function runBothUntilTicket(world: World, orderNo: Parameters<typeof fileOf>[1]): Promise<void> {
  world.clock.advance(MOVING_WINDOW_MS)
  for (let round = 0; round < 100; round++) {
    const file = await fileOf(world, orderNo)
    const [question, close] = [taskOf(file, 'QUERY_PAYMENT'), taskOf(file, 'CLOSE_ORDER')]
    if (question.status === 'MANUAL') return
    const next: TaskType = close.nextExecuteAt < question.nextExecuteAt ? 'CLOSE_ORDER' : 'QUERY_PAYMENT'
    await runWhenDue(world, orderNo, next)
  }
  throw new Error('The question never ended.')
}

it('"processing" at every rung, while the close waits too, is one person asked with all questions on record', async () => {
  const { channel, world, orderNo } = await openAsked(shortLadder)
  channel.ask = () => moving

  await runBothUntilTicket(world, orderNo)

  const file = await fileOf(world, orderNo)
  const question = taskOf(file, 'QUERY_PAYMENT')
  const asked = file.attempts.filter(({ taskNo }) => taskNo === question.taskNo)
  expect(question).toMatchObject({ status: 'MANUAL', lastErrorCode: 'RETRIES_USED_UP', retryCount: RUNGS })
  expect(asked.map(({ no }) => no)).toEqual(Array.from({ length: RUNGS + 1 }, (_, index) => index + 1))
  expect(asked.every(({ closedAt, outcome }) => closedAt !== undefined && outcome === 'notYet')).toBe(true)
  expect(file.tasks.filter(({ status }) => status === 'MANUAL')).toHaveLength(1)
  expect(tasksOf(file, 'START_EXECUTION')).toHaveLength(1)
  expect(file.order?.status).toBe('PAYING')
  expect(file.payAttempts).toMatchObject([{ state: 'OPEN' }])
})

it.each(['callback', 'close'] as const)(
  'a success that a %s tells of after the last rung still wins',
  async (teller) => {
    const { channel, world, orderNo } = await openAsked(shortLadder)
    const { ask } = channel
    channel.ask = () => moving
    await runBothUntilTicket(world, orderNo)
    channel.ask = ask
    channel.pay(orderNo)

    if (teller === 'callback') await world.take(aCallback(paid(orderNo)))
    else await runWhenDue(world, orderNo, 'CLOSE_ORDER')

    expect(endOf(await fileOf(world, orderNo))).toBe('PAID APPLIED')
  },
)

it('an order whose create answer and whose question were both lost is found paid by the sweep, by our own number', async () => {
  const { channel, world, orderNo } = await openAsked()
  channel.pay(orderNo)
  const before = await fileOf(world, orderNo)
  const { pk, sk } = taskOf(before, 'QUERY_PAYMENT')
  await world.ledger.client.send(new DeleteCommand({ TableName: world.ledger.table, Key: { pk, sk } }))
  world.clock.advance(10 * MINUTE)

  await sweepRow({ ledger: world.ledger, policies: bindPolicies({}) }, await orderOf(world, orderNo), world.clock.now())
  await runWhenDue(world, orderNo, 'QUERY_PAYMENT')

  expect(before.payAttempts[0]).not.toHaveProperty('channelRef')
  expect(channel.calls).toEqual([`query ${orderNo}`])
  expect(endOf(await fileOf(world, orderNo))).toBe('PAID APPLIED')
})

it('a payAttempt that cannot even be asked about is not FAILED: it stays open until its own expiry is over', async () => {
  const { channel, world, orderNo } = await openAsked()
  const noRef: Asked = {
    kind: 'answer',
    answer: { state: 'unknown', outcome: { kind: 'notYet', code: 'NO_CHANNEL_REF' } },
  }
  const { ask } = channel
  channel.ask = () => noRef
  for (let round = 0; round < 4; round++) await runWhenDue(world, orderNo, 'QUERY_PAYMENT')
  await runWhenDue(world, orderNo, 'CLOSE_ORDER')
  const nameless = await fileOf(world, orderNo)
  channel.ask = ask
  channel.pay(orderNo)

  await runWhenDue(world, orderNo, 'QUERY_PAYMENT')

  expect(nameless.order?.status).toBe('PAYING')
  expect(nameless.payAttempts).toMatchObject([{ state: 'OPEN' }])
  expect(endOf(await fileOf(world, orderNo))).toBe('PAID APPLIED')
})

it('a pending payment delivers nothing, however often it is asked about and told of', async () => {
  const { channel, world, orderNo } = await openAsked()
  const answers = [moving, closable, moving]
  channel.ask = () => answers.shift() ?? moving
  for (let round = 0; round < 4; round++) {
    await world.take(aCallback({ order_no: orderNo }, { type: 'payment.pending' }))
    await runWhenDue(world, orderNo, 'QUERY_PAYMENT')
  }

  const file = await fileOf(world, orderNo)
  expect(endOf(file)).toBe('PAYING')
  expect(tasksOf(file, 'DELIVER')).toEqual([])
  expect(file.lines).toMatchObject([{ state: 'RESERVED' }])
})
