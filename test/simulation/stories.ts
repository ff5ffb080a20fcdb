import { parseOrderNo } from '../../functions/core/ids.ts'
import { orderPk } from '../../functions/ledger/keys.ts'
import { sure } from '../support/core-builders.ts'
import {
  fileOf,
  freshOrderNo,
  orderOf,
  paid,
  putOrder,
  putPayingOrder,
  startAttempt,
  taskOf,
} from '../support/ledger-builders.ts'
import { aCallback } from '../support/world-bank.ts'
import type { Story } from '../support/world-story.ts'

export const applyStory: Story = {
  name: 'settle: a payment that pays its order',
  async arrange(world) {
    const orderNo = await putPayingOrder(world, { lines: 2 })
    await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_2` })
    const data = paid(orderNo)
    const callback = aCallback(data)
    return { orderNo, payments: [data.txn], act: ({ take }) => take(callback) }
  },
}

export const surplusStory: Story = {
  name: 'settle: a second payment',
  async arrange(world) {
    const orderNo = await putPayingOrder(world)
    const [first, second] = [paid(orderNo), paid(orderNo)]
    await world.take(aCallback(first))
    const callback = aCallback(second)
    return { orderNo, payments: [first.txn, second.txn], act: ({ take }) => take(callback) }
  },
}

export const lateStory: Story = {
  name: 'settle: a payment of a closed order',
  async arrange(world) {
    const orderNo = await putOrder(world)
    world.clock.set((await orderOf(world, orderNo)).closeAt)
    await world.run(taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER'))
    const data = paid(orderNo)
    const callback = aCallback(data)
    return { orderNo, payments: [data.txn], act: ({ take }) => take(callback) }
  },
}

export const parkedStory: Story = {
  name: 'settle: a payment before its order',
  async arrange() {
    const orderNo = freshOrderNo()
    const data = paid(orderNo)
    const callback = aCallback(data)
    return { orderNo, payments: [data.txn], act: ({ take }) => take(callback) }
  },
}

export const mismatchStory: Story = {
  name: 'settle: a payment of another amount',
  async arrange(world) {
    const orderNo = await putPayingOrder(world)
    const data = paid(orderNo, { amount: 1 })
    const callback = aCallback(data)
    return { orderNo, payments: [data.txn], act: ({ take }) => take(callback) }
  },
}

export const deliverStory: Story = {
  name: 'work: a delivery that is done',
  async arrange(world) {
    const orderNo = await putPayingOrder(world)
    const data = paid(orderNo)
    await world.take(aCallback(data))
    const task = taskOf(await fileOf(world, orderNo), 'DELIVER')
    return { orderNo, payments: [data.txn], act: ({ run }) => run(task) }
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

export const settleCallbackStory: Story = {
  name: 'work: a kept callback whose order has come',
  async arrange(world) {
    const orderNo = freshOrderNo()
    const data = paid(orderNo)
    await world.take(aCallback(data))
    const task = taskOf(await fileOf(world, orderNo), 'SETTLE_CALLBACK')
    await putOrder(world, { orderNo })
    world.clock.advance(1000)
    return { orderNo, payments: [data.txn], act: ({ run }) => run(task) }
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
    return { orderNo, payments: [], act: ({ run }) => run(task) }
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
    return { orderNo, pks: [orderPk(orderNo), pk], payments: [data.txn], act: ({ run }) => run(task) }
  },
}
