import { orphanPk } from '../../modules/ledger/table/keys.ts'
import { aTxn } from '../support/core-builders.ts'
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
import { aCallback, BANK } from '../support/world-bank.ts'
import type { Story } from '../support/world-story.ts'

export const applyStory: Story = {
  name: 'settle: a payment that pays its order',
  async arrange(world) {
    const orderNo = await putPayingOrder(world, { lines: 2 })
    await startAttempt(world, orderNo, { outTradeNo: `${orderNo}_2` })
    const data = paid(orderNo)
    const callback = aCallback(data)
    return { orderNo, payments: [data.txn], ends: 'DELIVERED APPLIED', act: ({ take }) => take(callback) }
  },
}

export const surplusStory: Story = {
  name: 'settle: a second payment',
  async arrange(world) {
    const orderNo = await putPayingOrder(world)
    const [first, second] = [paid(orderNo), paid(orderNo)]
    await world.take(aCallback(first))
    const callback = aCallback(second)
    return {
      orderNo,
      payments: [first.txn, second.txn],
      ends: 'DELIVERED APPLIED+SURPLUS',
      act: ({ take }) => take(callback),
    }
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
    return { orderNo, payments: [data.txn], ends: 'CLOSED LATE', act: ({ take }) => take(callback) }
  },
}

export const parkedStory: Story = {
  name: 'settle: a payment before its order',
  async arrange() {
    const orderNo = freshOrderNo()
    const data = paid(orderNo)
    const callback = aCallback(data)
    return { orderNo, payments: [data.txn], ends: 'undefined ORPHAN', act: ({ take }) => take(callback) }
  },
}

export const mismatchStory: Story = {
  name: 'settle: a payment of another amount',
  async arrange(world) {
    const orderNo = await putPayingOrder(world)
    const data = paid(orderNo, { amount: 1 })
    const callback = aCallback(data)
    return { orderNo, payments: [data.txn], ends: 'PAYING MISMATCHED', act: ({ take }) => take(callback) }
  },
}

export const orphanAtOnceStory: Story = {
  name: 'settle: a payment that names no order',
  async arrange() {
    const data = paid(undefined)
    const callback = aCallback(data)
    const pks = [orphanPk(BANK, aTxn(data.txn))]
    return {
      orderNo: freshOrderNo(),
      pks,
      payments: [data.txn],
      ends: 'undefined ORPHAN',
      act: ({ take }) => take(callback),
    }
  },
}

export const toldAgainStory: Story = {
  name: 'settle: a payment that was told before, by another notice',
  async arrange(world) {
    const orderNo = await putPayingOrder(world)
    const data = paid(orderNo)
    await world.take(aCallback(data))
    const callback = aCallback(data)
    return { orderNo, payments: [data.txn], ends: 'DELIVERED APPLIED', act: ({ take }) => take(callback) }
  },
}

export const conflictStory: Story = {
  name: 'settle: a payment that was told before with other money',
  async arrange(world) {
    const orderNo = await putPayingOrder(world)
    const data = paid(orderNo)
    await world.take(aCallback(data))
    const callback = aCallback({ ...data, amount: 1 })
    return { orderNo, payments: [data.txn], ends: 'PAID APPLIED', act: ({ take }) => take(callback) }
  },
}

/** The end of a try, and money that went back without us: neither touches the order's payments. */
const noticeStory = (name: string, type: string, ends: string): Story => ({
  name: `settle: ${name}`,
  async arrange(world) {
    const orderNo = await putPayingOrder(world)
    const callback = aCallback({ order_no: orderNo, refund_no: 'refund-1', txn: freshTxn() }, { type })
    return { orderNo, payments: [], ends, act: ({ take }) => take(callback) }
  },
})
export const failedStory = noticeStory('a try that failed', 'failed', 'CLOSED')
export const closedStory = noticeStory('a try that its channel closed', 'closed', 'CLOSED AWAITED')
export const refundStory = noticeStory('a refund that is not ours', 'refunded', 'CLOSED AWAITED')

export const unreadableStory: Story = {
  name: 'settle: a notice that nobody can read',
  async arrange() {
    const orderNo = freshOrderNo()
    const callback = aCallback({ ...paid(orderNo), amount: 'much' }, { eventId: `evt-${orderNo}` })
    return { orderNo, payments: [], ends: 'undefined', act: ({ take }) => take(callback) }
  },
}
