import { parseOrderNo } from '../../modules/core/ids.ts'
import { orderPk } from '../../modules/ledger/table/keys.ts'
import { brokenCodes, putPaidCodeOrder } from '../support/code-scenes.ts'
import { sure } from '../support/core-builders.ts'
import {
  fileOf,
  freshOrderNo,
  freshTxn,
  orderOf,
  paid,
  putOrder,
  putPayingOrder,
  startAttempt,
  taskOf,
} from '../support/ledger-builders.ts'
import { aFreshSku } from '../support/stock-builders.ts'
import { aCallback } from '../support/world-bank.ts'
import type { Story } from '../support/world-story.ts'

/** A story that can come to one end only where every service answers. */
export const ending = (story: Story, ends: string): Story => ({
  ...story,
  arrange: async (world) => ({ ...(await story.arrange(world)), ends }),
})

export const deliverStory: Story = {
  name: 'work: a delivery that is done',
  async arrange(world) {
    const orderNo = await putPayingOrder(world)
    const data = paid(orderNo)
    await world.take(aCallback(data))
    const task = taskOf(await fileOf(world, orderNo), 'DELIVER')
    return { orderNo, payments: [data.txn], ends: 'DELIVERED APPLIED', act: ({ run }) => run(task) }
  },
}

export const timeoutStory: Story = {
  name: 'work: a delivery without an answer',
  async arrange(world) {
    const scene = await deliverStory.arrange(world)
    let calls = 0
    world.merchant.answer = () => (++calls === 1 ? { kind: 'unknown', networkErrorType: 'timeout' } : { kind: 'done' })
    return scene
  },
}

export const refusedStory: Story = {
  name: 'work: a delivery that is refused for good',
  async arrange(world) {
    const scene = await deliverStory.arrange(world)
    world.merchant.answer = () => ({ kind: 'rejected', httpStatus: 400 })
    return { ...scene, ends: 'PAID APPLIED' }
  },
}

export const notifyStory: Story = {
  name: 'work: a notice of a payment',
  notices: new Set(['order.paid']),
  async arrange(world) {
    const orderNo = await putPayingOrder(world)
    const data = paid(orderNo)
    await world.take(aCallback(data))
    const task = taskOf(await fileOf(world, orderNo), 'NOTIFY')
    return { orderNo, payments: [data.txn], ends: 'DELIVERED APPLIED', act: ({ run }) => run(task) }
  },
}

export const codesStory: Story = {
  name: 'work: a delivery of codes',
  async arrange(world) {
    const orderNo = freshOrderNo()
    const txn = freshTxn()
    const task = await putPaidCodeOrder(world, orderNo, aFreshSku(), txn)
    return {
      orderNo,
      payments: [txn],
      ends: 'DELIVERED APPLIED',
      check: () => brokenCodes(world),
      act: ({ run }) => run(task),
    }
  },
}

export const settleCallbackStory: Story = {
  name: 'work: a kept callback whose order has come',
  async arrange(world) {
    const orderNo = freshOrderNo()
    const data = paid(orderNo)
    await world.take(aCallback(data))
    const task = taskOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK')
    await putOrder(world, { orderNo })
    world.clock.advance(1000)
    return { orderNo, payments: [data.txn], ends: 'DELIVERED APPLIED', act: ({ run }) => run(task) }
  },
}

export const orphanStory: Story = {
  name: 'work: a kept callback whose order never came',
  async arrange(world) {
    const orderNo = freshOrderNo()
    const data = paid(orderNo)
    await world.take(aCallback(data))
    const task = taskOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK')
    world.clock.set(task.deadlineAt)
    return { orderNo, payments: [data.txn], act: ({ run }) => run(task) }
  },
}

export const closeOrderStory: Story = {
  name: 'work: the close of an order',
  async arrange(world) {
    const orderNo = await putOrder(world, { lines: 2 })
    world.clock.set((await orderOf(world, orderNo)).closeAt)
    const task = taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
    return { orderNo, payments: [], ends: 'CLOSED', act: ({ run }) => run(task) }
  },
}

export const movedAttemptStory: Story = {
  name: 'work: a kept callback whose payAttempt was announced later',
  async arrange(world) {
    const orderNo = await putOrder(world)
    const outTradeNo = `${orderNo}_2`
    const data = paid(outTradeNo)
    const pk = orderPk(sure(parseOrderNo(outTradeNo)))
    await world.take(aCallback(data))
    const task = taskOf(await fileOf(world, sure(parseOrderNo(outTradeNo))), 'SETTLE_CALLBACK')
    await startAttempt(world, orderNo, { outTradeNo })
    world.clock.advance(1000)
    return {
      orderNo,
      pks: [orderPk(orderNo), pk],
      payments: [data.txn],
      ends: 'DELIVERED APPLIED',
      act: ({ run }) => run(task),
    }
  },
}
