import type { OrderNo } from '../../modules/core/ids.ts'
import type { TaskRow } from '../../modules/ledger/table/rows.ts'
import type { FakeChannel } from './fake-channel.ts'
import { fileOf, orderOf, paid, putPayingOrder, taskOf } from './ledger-builders.ts'
import { parkQuestions } from './park-questions.ts'
import type { World } from './world.ts'
import { aCallback } from './world-bank.ts'

/** An order whose time to be paid is over, and whose close is the only task that asks its channel. @returns that task */
export async function putOverdueOrder(world: World, orderNo: OrderNo): Promise<TaskRow> {
  await putPayingOrder(world, { orderNo })
  await parkQuestions(world, orderNo)
  world.clock.set((await orderOf(world, orderNo)).closeAt)
  return taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
}

/** The notice of a payment, with the same names in each play. */
export const noticeOf = (orderNo: OrderNo, txn: string, eventId = 'evt') =>
  aCallback(paid(orderNo, { txn }), { eventId })

/** The buyer pays if the channel still lets him, and the channel tells. */
export const payAndTell =
  (orderNo: OrderNo) =>
  async ({ take, around }: World, channel: FakeChannel): Promise<void> => {
    const txn = await around('pay', async () => channel.pay(orderNo))
    if (txn !== undefined) await take(noticeOf(orderNo, txn))
  }
