import { expect, it } from 'vitest'
import { openChannelDesk } from '../../functions/work/asking/channel-desk.ts'
import { queryRefundHandler } from '../../functions/work/handlers/query-refund.ts'
import { runTask } from '../../functions/work/run-task.ts'
import { takeCallback } from '../../modules/booking/take-callback.ts'
import { NOT_THERE, type RefundAnswer } from '../../modules/channels/client.ts'
import type { ChannelEvent } from '../../modules/core/channel-event.ts'
import { parseChannelTxnId } from '../../modules/core/ids.ts'
import { plusMs } from '../../modules/core/instant.ts'
import type { Gate } from '../../modules/gate/open-gate.ts'
import { sure } from '../support/core-builders.ts'
import { fileOf, paid, putPayingOrder, taskOf, tasksOf } from '../support/ledger-builders.ts'
import { answers, movement, openRefundDesk, type ScriptedRefunds, tells } from '../support/refund-desk.ts'
import { messageFor, openToAll, openWorld, type World } from '../support/world.ts'
import { aCallback, BANK, callbackOf, sha256 } from '../support/world-bank.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
let hints = 0

/** A paid order about whose money a hint has put a question. */
async function anAskedOrder(refunds: ScriptedRefunds) {
  const world = await openWorld({ refunds })
  const orderNo = await putPayingOrder(world)
  const data = paid(orderNo)
  await world.take(aCallback(data))
  const eventId = `asked-${++hints}`
  const channelTxnId = sure(parseChannelTxnId(data.txn))
  const event: ChannelEvent = { channel: BANK, eventId, kind: 'refund', trust: 'hint', channelTxnId }
  const callback = callbackOf(JSON.stringify(event), eventId)
  await takeCallback(world.takeDeps, callback, sha256(callback.body), { ok: true, events: [event] })
  const question = async () => taskOf(await fileOf(world, orderNo), 'QUERY_REFUND')
  /** Puts the question at its next time. */
  const ask = async () => {
    const task = await question()
    world.clock.set(task.nextExecuteAt)
    await world.run(task)
    return question()
  }
  return { world, orderNo, txn: data.txn, question, ask }
}

const says = (kind: RefundAnswer['outcome']['kind'], code: string) => answers({ outcome: { kind, code }, events: [] })

it('a refund that is under way is asked about until it is final, and its ticket stays one', async () => {
  const refunds = openRefundDesk()
  const { world, orderNo, txn, ask } = await anAskedOrder(refunds)
  refunds.answers = [
    tells(movement({ txn }, 're-1', { state: 'pending' })),
    tells(movement({ txn }, 're-1', { state: 'pending' })),
    tells(movement({ txn }, 're-1')),
  ]

  const first = await ask()
  const second = await ask()
  const last = await ask()

  expect([first, second, last].map(({ status, lastErrorCode }) => [status, lastErrorCode])).toEqual([
    ['RETRY', 'REFUND_PENDING'],
    ['RETRY', 'REFUND_PENDING'],
    ['SUCCESS', 'REFUND_PENDING'],
  ])
  const file = await fileOf(world, orderNo)
  expect(file.refunds).toMatchObject([{ cause: 'EXTERNAL', state: 'DONE', amount: 3000 }])
  expect(tasksOf(file, 'REVIEW').filter(({ status }) => status === 'MANUAL')).toHaveLength(1)
  expect(tasksOf(file, 'REVIEW')[0]?.requestSnapshot?.['evidence']).toMatch(/^AT#/)
})

it('"nothing went back" is the answer only when the notice is ten minutes old', async () => {
  const { world, ask } = await anAskedOrder(openRefundDesk(tells()))

  const early = await ask()
  world.clock.advance(10 * MINUTE)
  const late = await ask()

  expect(early).toMatchObject({ status: 'RETRY', lastErrorCode: 'NOTHING_WENT_BACK' })
  expect(late.status).toBe('SUCCESS')
})

it('a payment that the channel does not know is asked about for half an hour and is nobody’s then', async () => {
  const { world, orderNo, ask } = await anAskedOrder(openRefundDesk(says('notYet', NOT_THERE)))

  const early = await ask()
  world.clock.advance(30 * MINUTE)
  const late = await ask()

  expect(early.status).toBe('RETRY')
  expect(late).toMatchObject({ status: 'SUCCESS', resultSnapshot: { code: NOT_THERE } })
  expect(tasksOf(await fileOf(world, orderNo), 'REVIEW')).toHaveLength(0)
})

it('a dispute is looked at daily past the ladder’s end, and one that outlasts all of them is a person’s', async () => {
  const refunds = openRefundDesk()
  const { world, txn, ask, question } = await anAskedOrder(refunds)
  refunds.answers = [tells(movement({ txn }, 'd-1', { kind: 'dispute', state: 'pending' }))]

  const first = await ask()
  const askedAt = world.clock.now()
  world.clock.advance(30 * DAY)
  const later = await ask()
  world.clock.advance(90 * DAY)
  await ask()

  expect(first).toMatchObject({ status: 'RETRY', nextExecuteAt: plusMs(askedAt, DAY), retryCount: 0 })
  expect(later).toMatchObject({ status: 'RETRY', lastErrorCode: 'DISPUTE_PENDING' })
  expect((await question()).status).toBe('MANUAL')
})

it('part of an answer is booked, and the rest is asked for again', async () => {
  const refunds = openRefundDesk()
  const { world, orderNo, txn, ask } = await anAskedOrder(refunds)
  refunds.answers = [answers({ outcome: { kind: 'transient', code: 'BUSY' }, events: [movement({ txn }, 're-1')] })]

  const asked = await ask()

  expect(asked).toMatchObject({ status: 'RETRY', lastErrorCode: 'BUSY' })
  expect((await fileOf(world, orderNo)).payments).toMatchObject([{ external: 3000 }])
})

it('an answer about another payment is a person’s, and books nothing', async () => {
  const { world, orderNo, ask } = await anAskedOrder(openRefundDesk(says('mismatch', 'ANSWER_NOT_OURS')))

  const asked = await ask()

  expect(asked).toMatchObject({ status: 'MANUAL', lastErrorCode: 'ANSWER_NOT_OURS' })
  expect((await fileOf(world, orderNo)).refunds).toHaveLength(0)
})

it('a channel that cannot be asked any more leaves the question to a person', async () => {
  const refunds = openRefundDesk()
  const { world, question } = await anAskedOrder(refunds)
  const mute = { ...refunds, canQueryRefund: () => false }
  const handlers = { ...world.workDeps.handlers, QUERY_REFUND: queryRefundHandler(mute, world.takeDeps) }

  await runTask({ ...world.workDeps, handlers }, messageFor(await question(), world.clock.now()), 'worker-1')

  expect(await question()).toMatchObject({ status: 'MANUAL', lastErrorCode: 'QUERY_REFUND_UNSUPPORTED', attempts: 0 })
  expect(refunds.asked).toHaveLength(0)
})

it('all requests of one question take one slot of the gate and are one report', async () => {
  const { world, question } = await anAskedOrder(openRefundDesk())
  const taken: string[] = []
  const reported: string[] = []
  const gate: Gate = {
    ...openToAll,
    take: async (lane) => {
      taken.push(lane)
      return { kind: 'go', afterMs: 0, epoch: 7 }
    },
    report: async (lane, { epoch, kind }) => {
      reported.push(`${lane} ${epoch} ${kind}`)
    },
  }
  const answer: RefundAnswer = { outcome: { kind: 'done' }, events: [] }

  await runTask(workThrough(world, gate, answer), messageFor(await question(), world.clock.now()), 'worker-1')

  expect(taken).toEqual([BANK])
  expect(reported).toEqual([`${BANK} 7 done`])
})

/** The worker with a real desk in front of one channel, behind this gate. */
function workThrough(world: World, gate: Gate, answer: RefundAnswer): World['workDeps'] {
  const desk = openChannelDesk({
    gate,
    now: world.clock.now,
    sleep: async () => {},
    abilities: () => ({ canQuery: false, canClose: false, canQueryRefund: true }),
    clientAfresh: async () => undefined,
    client: async () => ({ queryRefund: async () => answer }),
  })
  const handlers = { ...world.workDeps.handlers, QUERY_REFUND: queryRefundHandler(desk, world.takeDeps) }
  return { ...world.workDeps, gate, handlers }
}
