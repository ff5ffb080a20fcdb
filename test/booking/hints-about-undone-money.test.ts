import { describe, expect, it } from 'vitest'
import { takeCallback } from '../../modules/booking/take-callback.ts'
import type { ChannelEvent } from '../../modules/core/channel-event.ts'
import { type OrderNo, parseChannelTxnId, parseOutTradeNo } from '../../modules/core/ids.ts'
import { plusMs } from '../../modules/core/instant.ts'
import type { OrderFile } from '../../modules/ledger/read/queries.ts'
import { orphanPk } from '../../modules/ledger/table/keys.ts'
import { money, sure } from '../support/core-builders.ts'
import {
  collectionOf,
  fileOf,
  forceRow,
  freshTxn,
  paid,
  putPayingOrder,
  taskOf,
  tasksOf,
  verdictsOf,
} from '../support/ledger-builders.ts'
import { answers, movement, openRefundDesk, payment, type ScriptedRefunds, tells } from '../support/refund-desk.ts'
import { openWorld, type World } from '../support/world.ts'
import { aCallback, BANK, callbackOf, sha256 } from '../support/world-bank.ts'

const MINUTE_MS = 60_000
let hints = 0

/** Takes a notice whose figures nobody can trust, about money that went back. */
async function hint(world: World, change: Partial<ChannelEvent> & { readonly txn: string }): Promise<void> {
  const { txn, ...rest } = change
  const eventId = `undone-hint-${++hints}`
  const event: ChannelEvent = {
    channel: BANK,
    eventId,
    kind: 'refund',
    trust: 'hint',
    channelTxnId: sure(parseChannelTxnId(txn)),
    money: money(1),
    ...rest,
  }
  const callback = callbackOf(JSON.stringify(event), eventId)
  await takeCallback(world.takeDeps, callback, sha256(callback.body), { ok: true, events: [event] })
}

async function aPaidOrder(refunds: ScriptedRefunds): Promise<{ world: World; orderNo: OrderNo; txn: string }> {
  const world = await openWorld({ refunds })
  const orderNo = await putPayingOrder(world)
  const data = paid(orderNo)
  await world.take(aCallback(data))
  return { world, orderNo, txn: data.txn }
}

const tickets = (file: OrderFile) => tasksOf(file, 'REVIEW').filter(({ status }) => status === 'MANUAL')
const questions = (file: OrderFile) => tasksOf(file, 'QUERY_REFUND')
const named = (orderNo: OrderNo) => ({ outTradeNo: sure(parseOutTradeNo(orderNo)) })

describe('a hint that money went back', () => {
  it.each(['refund', 'dispute'] as const)(
    'of kind %s has the channel asked, freezes nothing and opens no ticket',
    async (kind) => {
      const { world, orderNo, txn } = await aPaidOrder(openRefundDesk())
      const before = await fileOf(world, orderNo)

      await hint(world, { txn, kind, channelRefundId: 'r-1', undo: { form: 'one', state: 'pending', id: 'd-1' } })

      const file = await fileOf(world, orderNo)
      expect(file.order).toMatchObject({ status: 'PAID' })
      expect(file.order).not.toHaveProperty('frozen')
      expect(file.payments).toEqual(before.payments)
      expect(tickets(file)).toHaveLength(0)
      expect(questions(file)).toMatchObject([
        {
          bizNo: `${BANK}/${txn}`,
          status: 'WAITING',
          nextExecuteAt: world.clock.now(),
          requestSnapshot: {
            channelTxnId: txn,
            ...(kind === 'refund' ? { refundIds: ['r-1'] } : { disputeIds: ['d-1'] }),
          },
        },
      ])
      expect(verdictsOf(file)).toEqual(expect.arrayContaining(['applied', 'recorded']))
    },
  )

  it('is believed as the channel answers: the facts freeze what is not delivered and open one ticket', async () => {
    const refunds = openRefundDesk()
    const { world, orderNo, txn } = await aPaidOrder(refunds)
    refunds.answers = [tells(movement({ txn }, 're-1'), movement({ txn }, 're-2', { money: money(1000) }))]
    await hint(world, { txn, channelRefundId: 're-1' })

    await world.run(taskOf(await fileOf(world, orderNo), 'QUERY_REFUND'))

    const file = await fileOf(world, orderNo)
    expect(refunds.asked).toMatchObject([{ channel: BANK, channelTxnId: txn, refundIds: ['re-1'] }])
    expect(file.order).toMatchObject({ status: 'PAID', frozen: { reason: 'MONEY_UNDONE' } })
    expect(file.payments).toMatchObject([{ role: 'APPLIED', external: 4000, free: 4800 }])
    expect(tickets(file)).toHaveLength(1)
    expect(questions(file)).toMatchObject([{ status: 'SUCCESS' }])
  })

  it('that is answered with nothing moves nothing', async () => {
    const { world, orderNo, txn } = await aPaidOrder(openRefundDesk(tells()))
    await hint(world, { txn })
    world.clock.advance(10 * MINUTE_MS)

    await world.run(taskOf(await fileOf(world, orderNo), 'QUERY_REFUND'))

    const file = await fileOf(world, orderNo)
    expect(questions(file)).toMatchObject([{ status: 'SUCCESS' }])
    expect(file.order).not.toHaveProperty('frozen')
    expect(tickets(file)).toHaveLength(0)
  })

  it('of a channel that cannot be asked is a person’s', async () => {
    const world = await openWorld()
    const orderNo = await putPayingOrder(world)

    await hint(world, { txn: freshTxn(), ...named(orderNo) })

    const file = await fileOf(world, orderNo)
    expect(questions(file)).toHaveLength(0)
    expect(tickets(file)).toMatchObject([{ lastErrorCode: 'MONEY_UNDONE' }])
  })
})

describe('sixty hints forged in one order', () => {
  const many = Array.from({ length: 60 }, (_, n) => n)

  it('about sixty payments put five questions and one ticket', async () => {
    const { world, orderNo } = await aPaidOrder(openRefundDesk())

    for (const n of many) await hint(world, { txn: `forged-${orderNo}-${n}`, ...named(orderNo) })

    const file = await fileOf(world, orderNo)
    expect(questions(file)).toHaveLength(5)
    expect(tickets(file)).toMatchObject([{ lastErrorCode: 'TOO_MANY_HINTS' }])
    expect(file.order).not.toHaveProperty('frozen')
  })

  it('at the same moment put no more than that', async () => {
    const { world, orderNo } = await aPaidOrder(openRefundDesk())

    for (let n = 0; n < 24; n += 4)
      await Promise.allSettled(
        [n, n + 1, n + 2, n + 3].map((part) => hint(world, { txn: `forged-${orderNo}-${part}`, ...named(orderNo) })),
      )

    const file = await fileOf(world, orderNo)
    expect(questions(file).length).toBeLessThanOrEqual(5)
    expect(tickets(file).length).toBeLessThanOrEqual(1)
  })

  it('share their bound with hints about payments', async () => {
    const { world, orderNo } = await aPaidOrder(openRefundDesk())

    for (const n of many) {
      const kind = n % 2 === 0 ? 'payment' : 'refund'
      await hint(world, { txn: `forged-${orderNo}-${n}`, kind, ...named(orderNo) })
    }

    const file = await fileOf(world, orderNo)
    const hinted = tasksOf(file, 'QUERY_PAYMENT').filter(({ bizNo }) => bizNo.includes('forged'))
    expect(questions(file).length + hinted.length).toBe(5)
    expect(tickets(file)).toMatchObject([{ lastErrorCode: 'TOO_MANY_HINTS' }])
  })

  it('about one payment are one question, put no more than once a minute', async () => {
    const refunds = openRefundDesk(tells(movement({ txn: 'x' }, 're-1', { state: 'pending' })))
    const { world, orderNo, txn } = await aPaidOrder(refunds)
    refunds.answers = [tells(movement({ txn }, 're-1', { state: 'pending' }))]

    for (const n of many) {
      await hint(world, { txn, channelRefundId: `re-${n}` })
      await world.run(taskOf(await fileOf(world, orderNo), 'QUERY_REFUND'))
      world.clock.advance(1000)
    }

    const file = await fileOf(world, orderNo)
    expect(questions(file)).toHaveLength(1)
    expect(refunds.asked.length).toBeLessThanOrEqual(2)
    expect(questions(file)[0]?.requestSnapshot?.['refundIds']).toHaveLength(5)
    expect(tickets(file)).toHaveLength(1)
  })
})

describe('a later hint about the same payment', () => {
  it('is asked about anew when the first question has ended', async () => {
    const refunds = openRefundDesk()
    const { world, orderNo, txn } = await aPaidOrder(refunds)
    refunds.answers = [tells(movement({ txn }, 're-1'))]
    await hint(world, { txn })
    await world.run(taskOf(await fileOf(world, orderNo), 'QUERY_REFUND'))
    refunds.answers = [tells(movement({ txn }, 're-1'), movement({ txn }, 're-2'))]

    await hint(world, { txn })
    const second = sure(questions(await fileOf(world, orderNo)).find(({ status }) => status === 'WAITING'))
    await world.run(second)

    const file = await fileOf(world, orderNo)
    expect(second.bizNo).toBe(`${BANK}/${txn}/2`)
    expect(file.payments).toMatchObject([{ external: 6000 }])
    expect(tickets(file)).toHaveLength(1)
  })

  it('that comes while the answer is on its way is not lost in it', async () => {
    const { world, orderNo, txn } = await aPaidOrder(openRefundDesk())
    await hint(world, { txn, channelRefundId: 're-1' })
    const asking = taskOf(await fileOf(world, orderNo), 'QUERY_REFUND')
    await forceRow(world.ledger, asking, { status: 'PROCESSING' }, world.clock.now())

    await hint(world, { txn, channelRefundId: 're-1' })
    const same = questions(await fileOf(world, orderNo))
    await hint(world, { txn, channelRefundId: 're-2' })

    expect(same).toHaveLength(1)
    expect(questions(await fileOf(world, orderNo)).map(({ bizNo }) => bizNo)).toEqual(
      expect.arrayContaining([`${BANK}/${txn}`, `${BANK}/${txn}/2`]),
    )
  })

  it('wakes the question that waits, and is evidence for a person who has it', async () => {
    const refunds = openRefundDesk()
    const { world, orderNo, txn } = await aPaidOrder(refunds)
    refunds.answers = [tells(movement({ txn }, 're-1', { state: 'pending' }))]
    await hint(world, { txn })
    await world.run(taskOf(await fileOf(world, orderNo), 'QUERY_REFUND'))
    world.clock.advance(2 * MINUTE_MS)
    const waiting = taskOf(await fileOf(world, orderNo), 'QUERY_REFUND')
    await forceRow(
      world.ledger,
      waiting,
      { nextExecuteAt: plusMs(world.clock.now(), 60 * MINUTE_MS) },
      world.clock.now(),
    )

    await hint(world, { txn })
    const woken = taskOf(await fileOf(world, orderNo), 'QUERY_REFUND')
    await forceRow(world.ledger, woken, { status: 'MANUAL' }, world.clock.now())
    await hint(world, { txn })

    expect(woken.nextExecuteAt).toBe(world.clock.now())
    expect(taskOf(await fileOf(world, orderNo), 'QUERY_REFUND')).toMatchObject({ evidence: [expect.any(String)] })
  })
})

describe('a payment of which a hint says no more than its number', () => {
  it('is asked about by it, and pays the order that the answer names', async () => {
    const txn = freshTxn()
    const refunds = openRefundDesk()
    const world = await openWorld({ refunds })
    const orderNo = await putPayingOrder(world)
    const answer = { outcome: { kind: 'done' }, events: [], payment: payment({ txn, outTradeNo: orderNo }) } as const
    refunds.answers = [answers(answer)]
    await hint(world, { txn, kind: 'payment' })
    const { tasks } = await collectionOf(world, orphanPk(BANK, txn))

    world.clock.advance(10 * MINUTE_MS)
    for (const task of tasks.filter(({ bizType }) => bizType === 'QUERY_REFUND')) await world.run(task)

    const file = await fileOf(world, orderNo)
    expect(file.order).toMatchObject({ status: 'PAID' })
    expect(file.payments).toMatchObject([{ role: 'APPLIED', channelTxnId: txn }])
  })

  it('and that went back already starts no delivery', async () => {
    const txn = freshTxn()
    const refunds = openRefundDesk()
    const world = await openWorld({ refunds })
    const orderNo = await putPayingOrder(world)
    const about = { txn, outTradeNo: orderNo }
    refunds.answers = [
      answers({ outcome: { kind: 'done' }, events: [movement(about, 're-1')], payment: payment(about) }),
    ]
    await hint(world, { txn, kind: 'refund' })
    const { tasks } = await collectionOf(world, orphanPk(BANK, txn))

    for (const task of tasks.filter(({ bizType }) => bizType === 'QUERY_REFUND')) await world.run(task)
    await world.run(taskOf(await fileOf(world, orderNo), 'DELIVER'))

    const file = await fileOf(world, orderNo)
    expect(file.order).toMatchObject({ status: 'PAID', frozen: { reason: 'MONEY_UNDONE' } })
    expect(world.merchant.received).toHaveLength(0)
  })
})
