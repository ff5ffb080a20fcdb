import { expect, it } from 'vitest'
import { brokenCodes, putPaidCodeOrder } from '../support/code-scenes.ts'
import { sure } from '../support/core-builders.ts'
import { type Arrange, type Duel, duel } from '../support/duel.ts'
import { noticeOf, putOverdueOrder } from '../support/duel-scenes.ts'
import { fileOf, putOrder, putPayingOrder, startAttempt, taskOf } from '../support/ledger-builders.ts'
import { parkQuestions } from '../support/park-questions.ts'
import { allowSeconds } from '../support/patience.ts'
import { aFreshSku } from '../support/stock-builders.ts'
import type { World } from '../support/world.ts'

allowSeconds(180)

interface Case {
  readonly name: string
  readonly arrange: Arrange
  readonly isMute?: true
  readonly notices?: World['notices']
  readonly ends: string
  /** What goes out, in every order. */
  readonly sent: string
}

/** Two workers who got the same message. */
const both = (task: Parameters<World['run']>[0]): Duel['handlers'] => [
  ({ run }) => run(task, 'worker-1'),
  ({ run }) => run(task, 'worker-2'),
]

const question =
  (isPaid: boolean): Arrange =>
  async (world, orderNo, channel) => {
    await putPayingOrder(world, { orderNo })
    if (isPaid) channel.pay(orderNo)
    const task = taskOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
    world.clock.set(task.nextExecuteAt)
    return { handlers: both(task) }
  }

const close =
  (isPaid: boolean): Arrange =>
  async (world, orderNo, channel) => {
    const task = await putOverdueOrder(world, orderNo)
    if (isPaid) channel.pay(orderNo)
    return { handlers: both(task) }
  }

const closeAttempt =
  (isPaid: boolean): Arrange =>
  async (world, orderNo, channel) => {
    await putPayingOrder(world, { orderNo })
    await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_2` })
    await parkQuestions(world, orderNo)
    await world.take(noticeOf(orderNo, sure(channel.pay(orderNo))))
    if (isPaid) channel.pay(`${orderNo}_2`)
    return { handlers: both(taskOf(await fileOf(world, orderNo), 'CLOSE_ATTEMPT')) }
  }

const delivery: Arrange = async (world, orderNo) => {
  await putPayingOrder(world, { orderNo })
  await world.take(noticeOf(orderNo, 'txn-1'))
  return { payments: ['txn-1'], handlers: both(taskOf(await fileOf(world, orderNo), 'DELIVER')) }
}

const notice: Arrange = async (world, orderNo) => {
  await putPayingOrder(world, { orderNo })
  await world.take(noticeOf(orderNo, 'txn-1'))
  return { payments: ['txn-1'], handlers: both(taskOf(await fileOf(world, orderNo), 'NOTIFY')) }
}
const notices: World['notices'] = new Set(['order.paid'])

const sku = aFreshSku()
const codes: Arrange = async (world, orderNo) => ({
  payments: ['txn-1'],
  handlers: both(await putPaidCodeOrder(world, orderNo, sku, 'txn-1')),
  check: () => brokenCodes(world),
})

const keptCallback =
  (isOrderHere: boolean): Arrange =>
  async (world, orderNo) => {
    await world.take(noticeOf(orderNo, 'txn-1'))
    const task = taskOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK')
    if (isOrderHere) await putOrder(world, { orderNo })
    world.clock.set(isOrderHere ? task.nextExecuteAt : task.deadlineAt)
    return { payments: ['txn-1'], handlers: both(task) }
  }

const cases: readonly Case[] = [
  { name: 'QUERY_PAYMENT, not paid', arrange: question(false), ends: 'CLOSED', sent: 'query' },
  { name: 'QUERY_PAYMENT, paid', arrange: question(true), ends: 'DELIVERED APPLIED', sent: 'query' },
  { name: 'CLOSE_ORDER, not paid', arrange: close(false), ends: 'CLOSED', sent: 'query close query' },
  { name: 'CLOSE_ORDER, paid', arrange: close(true), ends: 'DELIVERED APPLIED', sent: 'query' },
  { name: 'CLOSE_ATTEMPT', arrange: closeAttempt(false), ends: 'DELIVERED APPLIED', sent: 'query close query' },
  { name: 'CLOSE_ATTEMPT, paid', arrange: closeAttempt(true), ends: 'DELIVERED APPLIED+SURPLUS', sent: 'query' },
  { name: 'DELIVER', arrange: delivery, isMute: true, ends: 'DELIVERED APPLIED', sent: 'webhook' },
  { name: 'DELIVER of codes', arrange: codes, isMute: true, ends: 'DELIVERED APPLIED', sent: '' },
  { name: 'NOTIFY', arrange: notice, isMute: true, notices, ends: 'DELIVERED APPLIED', sent: 'webhook' },
  { name: 'SETTLE_CALLBACK', arrange: keptCallback(true), isMute: true, ends: 'DELIVERED APPLIED', sent: '' },
  { name: 'SETTLE_CALLBACK, no order', arrange: keptCallback(false), isMute: true, ends: 'undefined ORPHAN', sent: '' },
]

it.each(cases)(
  'two workers on one task, $name: it is done once, in every distinguishable order of the calls',
  async ({ arrange, isMute = false, notices = new Set(), ends, sent }) => {
    const outcomes = await duel(arrange, { isMute, notices })

    expect(outcomes.broken).toEqual([])
    expect(outcomes.ends).toEqual([ends])
    expect(outcomes.sent).toEqual([sent])
    expect(outcomes.isComplete).toBe(true)
  },
)
