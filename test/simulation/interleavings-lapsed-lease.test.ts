import { expect, it } from 'vitest'
import { sweepRow } from '../../functions/sweep/sweep-row.ts'
import type { OrderNo } from '../../modules/core/ids.ts'
import { bindPolicies, type TaskType } from '../../modules/core/task-policies.ts'
import { readRows } from '../../modules/ledger/read/queries.ts'
import type { TaskRow } from '../../modules/ledger/table/rows.ts'
import { sure } from '../support/core-builders.ts'
import { type Arrange, type Duel, duel } from '../support/duel.ts'
import { noticeOf } from '../support/duel-scenes.ts'
import { fileOf, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { allowSeconds } from '../support/patience.ts'
import type { World } from '../support/world.ts'

allowSeconds(180)

/** A lease is over as it begins: between any two calls of a living worker the sweep may take its task back. */
const atOnce = { leaseMs: 0, ladder: { kind: 'steps', stepsMs: [], thenEveryMs: 0 } } as const
const policies = bindPolicies({ DELIVER: atOnce, NOTIFY: atOnce, QUERY_PAYMENT: atOnce })

/** A worker who lives, and the sweep with a second worker of the same name, as one environment's next invocation has. */
const lapse = (task: TaskRow): Duel['handlers'] => [
  ({ run }) => run(task, 'worker'),
  async ({ ledger, clock, run }) => {
    const [row] = await readRows(ledger, [task])
    await sweepRow({ ledger, policies }, row, clock.now())
    await run(task, 'worker')
  },
]

/** A task whose trigger is so late that the sweep looks for it, too: a claim leaves that time as it is. */
async function overdue(world: World, orderNo: OrderNo, type: TaskType): Promise<TaskRow> {
  const task = taskOf(await fileOf(world, orderNo), type)
  world.clock.set(sure(task.dueAt))
  return task
}

const delivery: Arrange = async (world, orderNo) => {
  await putPayingOrder(world, { orderNo })
  await world.take(noticeOf(orderNo, 'txn-1'))
  return { payments: ['txn-1'], handlers: lapse(await overdue(world, orderNo, 'DELIVER')) }
}

const notice: Arrange = async (world, orderNo) => {
  await putPayingOrder(world, { orderNo })
  await world.take(noticeOf(orderNo, 'txn-1'))
  return { payments: ['txn-1'], handlers: lapse(await overdue(world, orderNo, 'NOTIFY')) }
}

const question: Arrange = async (world, orderNo, channel) => {
  await putPayingOrder(world, { orderNo })
  channel.pay(orderNo)
  return { handlers: lapse(await overdue(world, orderNo, 'QUERY_PAYMENT')) }
}

interface Case {
  readonly name: string
  readonly arrange: Arrange
  readonly isMute?: true
  readonly notices?: World['notices']
  readonly sent: readonly string[]
}

const cases: readonly Case[] = [
  { name: 'DELIVER', arrange: delivery, isMute: true, sent: ['webhook', 'webhook webhook'] },
  {
    name: 'NOTIFY',
    arrange: notice,
    isMute: true,
    notices: new Set(['order.paid']),
    sent: ['webhook', 'webhook webhook'],
  },
  { name: 'QUERY_PAYMENT', arrange: question, sent: ['query', 'query query'] },
]

it.each(cases)(
  '$name whose lease lapses under a living worker is done once on record, in every distinguishable order of the calls',
  async ({ arrange, isMute = false, notices = new Set(), sent }) => {
    const outcomes = await duel(arrange, { isMute, notices, policies })

    expect(outcomes.broken).toEqual([])
    expect(outcomes.ends).toEqual(['DELIVERED APPLIED'])
    expect(outcomes.sent).toEqual(sent)
    expect(outcomes.isComplete).toBe(true)
  },
)
