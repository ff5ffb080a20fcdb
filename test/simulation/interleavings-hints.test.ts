import { expect, it } from 'vitest'
import { takeCallback } from '../../modules/booking/take-callback.ts'
import type { ChannelEvent } from '../../modules/core/channel-event.ts'
import { type OrderNo, parseChannelTxnId, parseOutTradeNo } from '../../modules/core/ids.ts'
import { money, sure } from '../support/core-builders.ts'
import { duel } from '../support/duel.ts'
import { fileOf, putPayingOrder, tasksOf } from '../support/ledger-builders.ts'
import type { World } from '../support/world.ts'
import { BANK, callbackOf, sha256 } from '../support/world-bank.ts'

/** A channel that only hints: it names a payment, and what it says of it decides nothing. */
async function hint({ takeDeps }: World, orderNo: OrderNo, txn: string): Promise<void> {
  const event: ChannelEvent = {
    channel: BANK,
    eventId: `hint-${txn}`,
    kind: 'payment',
    trust: 'hint',
    outTradeNo: sure(parseOutTradeNo(orderNo)),
    channelTxnId: sure(parseChannelTxnId(txn)),
    money: money(8800),
  }
  const callback = callbackOf(JSON.stringify(event), event.eventId)
  await takeCallback(takeDeps, callback, sha256(callback.body), { ok: true, events: [event] })
}

it('of two payments that a channel hints at at once both are asked about by their numbers, in every distinguishable order of the calls', async () => {
  const asked = new Set<string>()
  const { broken, ends, isComplete } = await duel(async (world, orderNo, channel) => {
    await putPayingOrder(world, { orderNo })
    channel.pay(orderNo)
    return {
      handlers: [(mine) => hint(mine, orderNo, 'txn-1'), (mine) => hint(mine, orderNo, 'txn-2')],
      check: async () => {
        const questions = tasksOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')
        const names = questions.map(({ requestSnapshot }) => requestSnapshot?.['channelTxnId'])
        asked.add(names.toSorted().join(' '))
        return []
      },
    }
  })

  expect(broken).toEqual([])
  expect(ends).toEqual(['DELIVERED APPLIED'])
  expect([...asked]).toEqual(['txn-1 txn-2'])
  expect(isComplete).toBe(true)
})
