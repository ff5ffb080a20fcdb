import { expect, it } from 'vitest'
import { sweepRow } from '../../functions/sweep/sweep-row.ts'
import type { Asked, ChannelDesk } from '../../functions/work/asking/channel-desk.ts'
import { MOVING_WINDOW_MS } from '../../functions/work/asking/expiry.ts'
import { queryPaymentHandler } from '../../functions/work/handlers/query-payment.ts'
import { runTask } from '../../functions/work/run-task.ts'
import { type Instant, msOf, plusMs } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import { closable, closed, moving, paidAnswer, withDesk } from '../support/desk.ts'
import { withFaults } from '../support/faults.ts'
import {
  fileOf,
  forceOrder,
  freshTxn,
  putOrder,
  putPayingOrder,
  startAttempt,
  taskOf,
  tasksOf,
} from '../support/ledger-builders.ts'
import { messageFor, openWorld, type World } from '../support/world.ts'

const HOUR = 3_600_000
type OrderNo = Parameters<typeof fileOf>[1]

/** A channel that answers what a test says at that moment. */
function openTelling(say: (outTradeNo: string) => Asked | Promise<Asked>, canClose = true): ChannelDesk {
  return {
    canQuery: () => true,
    canClose: () => canClose,
    query: async ({ outTradeNo }) => say(outTradeNo),
    close: async () => (canClose ? closed : { kind: 'unsupported' }),
  }
}

/** Runs the tasks of a type that wait, each at its time, until none does or the time is over. */
async function runUntil(world: World, deps: World['workDeps'], orderNo: OrderNo, until: Instant): Promise<void> {
  for (let round = 0; round < 100; round++) {
    const waiting = tasksOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
      .filter(({ status }) => status === 'WAITING' || status === 'RETRY')
      .toSorted((a, b) => (a.nextExecuteAt < b.nextExecuteAt ? -1 : 1))
    const [next] = waiting
    if (next === undefined || next.nextExecuteAt > until) return
    world.clock.set(next.nextExecuteAt)
    await runTask(deps, messageFor(next, world.clock.now()), `worker-${round}`)
  }
}

async function aClosedOrder() {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const closedAt = world.clock.now()
  await forceOrder(world, orderNo, { status: 'CLOSED', closedAt })
  return { world, orderNo, closedAt }
}

it('a try that was closed because its channel has no close is asked about while its order may still be paid', async () => {
  const world = await openWorld()
  const orderNo = await putOrder(world)
  await startAttempt(world, orderNo)
  await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_2` })
  const captured = { txn: '' }
  const deps = withDesk(
    world,
    openTelling((outTradeNo) => {
      if (outTradeNo.endsWith('_2')) return moving
      return captured.txn === '' ? closable : paidAnswer(outTradeNo, captured.txn)
    }, false),
  )
  const close = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
  world.clock.set(close.nextExecuteAt)
  await runTask(deps, messageFor(close, world.clock.now()), 'worker-1')
  const kept = await fileOf(world, orderNo)
  captured.txn = freshTxn()

  await runUntil(world, deps, orderNo, plusMs(world.clock.now(), HOUR))

  expect(kept.payAttempts.map(({ state }) => state)).toContain('CLOSED')
  expect(kept.order?.status).toBe('PAYING')
  expect((await fileOf(world, orderNo)).payments).toMatchObject([{ role: 'APPLIED', channelTxnId: captured.txn }])
})

it.each(['the channel', 'the ledger'] as const)(
  'the last look of the late watch is repeated when %s did not answer',
  async (who) => {
    const { world, orderNo, closedAt } = await aClosedOrder()
    const txn = freshTxn()
    let isDown = false
    const desk = openTelling((outTradeNo) => {
      if (isDown && who === 'the channel') throw new Error('Secrets Manager did not answer.')
      return isDown || world.clock.now() > plusMs(closedAt, 24 * HOUR) ? paidAnswer(outTradeNo, txn) : closable
    })
    const ledger: Ledger = withFaults(world.ledger, ({ command, fail }) => {
      if (isDown && who === 'the ledger' && command === 'TransactWriteItemsCommand') fail('unavailable')
    })
    const good = withDesk(world, desk)
    const bad = {
      ...good,
      handlers: { ...good.handlers, QUERY_PAYMENT: queryPaymentHandler(desk, { ...world.takeDeps, ledger }) },
    }
    await runUntil(world, good, orderNo, plusMs(closedAt, 23 * HOUR))
    isDown = true
    await runUntil(world, bad, orderNo, plusMs(closedAt, 24 * HOUR))
    isDown = false

    await runUntil(world, good, orderNo, plusMs(closedAt, 25 * HOUR))

    expect((await fileOf(world, orderNo)).payments).toMatchObject([{ role: 'LATE', channelTxnId: txn }])
  },
)

it('the last look of the late watch is repeated when its worker died', async () => {
  const { world, orderNo, closedAt } = await aClosedOrder()
  const txn = freshTxn()
  const good = withDesk(
    world,
    openTelling((outTradeNo) =>
      world.clock.now() < plusMs(closedAt, 24 * HOUR) ? closable : paidAnswer(outTradeNo, txn),
    ),
  )
  await runUntil(world, good, orderNo, plusMs(closedAt, 23 * HOUR))
  const task = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
  world.clock.set(task.nextExecuteAt)
  const reached = Promise.withResolvers<void>()
  const dying = openTelling(() => {
    reached.resolve()
    return new Promise<never>(() => {})
  })
  void runTask(withDesk(world, dying), messageFor(task, world.clock.now()), 'dying')
  await reached.promise
  world.clock.advance(5 * 60_000)
  const held = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
  await sweepRow({ ledger: world.ledger, policies: bindPolicies({}) }, held, world.clock.now())

  await runUntil(world, good, orderNo, plusMs(closedAt, 25 * HOUR))

  expect(held.status).toBe('PROCESSING')
  expect((await fileOf(world, orderNo)).payments).toMatchObject([{ role: 'LATE', channelTxnId: txn }])
})

it('money that is under way when the order is closed is looked at until it is there', async () => {
  const { world, orderNo, closedAt } = await aClosedOrder()
  const txn = freshTxn()
  const deps = withDesk(
    world,
    openTelling((outTradeNo) =>
      world.clock.now() < plusMs(closedAt, 30 * HOUR) ? moving : paidAnswer(outTradeNo, txn),
    ),
  )

  await runUntil(world, deps, orderNo, plusMs(closedAt, 31 * HOUR))

  const { payments, tasks } = await fileOf(world, orderNo)
  expect(payments).toMatchObject([{ role: 'LATE', channelTxnId: txn }])
  expect(tasks.filter(({ status }) => status === 'MANUAL')).toEqual([])
})

it('money that is under way for longer than any bank takes is a person’s, also when the order is closed', async () => {
  const { world, orderNo } = await aClosedOrder()
  const deps = withDesk(
    world,
    openTelling(() => moving),
  )
  const { createdAt } = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
  world.clock.set(plusMs(createdAt, MOVING_WINDOW_MS))

  await runUntil(world, deps, orderNo, plusMs(createdAt, 2 * MOVING_WINDOW_MS))

  expect(taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')).toMatchObject({ status: 'MANUAL' })
})

it('an order that stays open for days, and whose try the channel does not know yet, makes no ticket', async () => {
  const world = await openWorld()
  const orderNo = await putOrder(world, { closeAfterMs: 120 * HOUR })
  await startAttempt(world, orderNo, { expiresAt: plusMs(world.clock.now(), 120 * HOUR) })
  const notThere: Asked = {
    kind: 'answer',
    answer: { state: 'unknown', outcome: { kind: 'notYet', code: 'TRADE_NOT_EXIST' } },
  }
  const deps = withDesk(
    world,
    openTelling(() => notThere),
  )
  world.clock.advance(80 * HOUR)
  const startMs = msOf(world.clock.now())

  await runUntil(world, deps, orderNo, plusMs(world.clock.now(), 10 * HOUR))

  const question = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
  expect(question.status).toBe('RETRY')
  expect(question.attempts).toBeLessThanOrEqual(12)
  expect(msOf(question.nextExecuteAt)).toBeGreaterThan(startMs)
})
