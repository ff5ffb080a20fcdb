import type { ChannelId, OrderNo, OutTradeNo } from '../../core/ids.ts'
import { type Instant, plusMs } from '../../core/instant.ts'
import { isOpen } from '../../core/pay-attempt.ts'
import type { TaskSource } from '../../core/task.ts'
import type { PolicyOverrides } from '../../core/task-policies.ts'
import { readCollection } from '../read/queries.ts'
import type { Ledger } from '../table/client.ts'
import { commit } from '../table/commit.ts'
import { allOf, dueAtIs, revIs } from '../table/conditions.ts'
import type { OrderRow } from '../table/rows.ts'
import type { Write } from '../table/writes.ts'
import { putTask } from '../task/put-task.ts'

/** How often the sweep looks at an order in PAYING. Source: docs/design/keys-and-rows.md, Index due */
export const PAYING_LOOK_MS = 10 * 60 * 1000
/** The first question to the channel comes this long after the payAttempt began. Source: docs/design/task-types.md. */
export const FIRST_QUERY_MS = 5_000

/** The task that asks a payAttempt's channel: one per payAttempt, started with it, or by the sweep where it is missing. */
export function putQueryPayment(
  attempt: {
    readonly pk: string
    readonly orderNo: OrderNo
    readonly channel: ChannelId
    readonly outTradeNo: OutTradeNo
  },
  overrides: PolicyOverrides,
  now: Instant,
  source: TaskSource = 'POLICY',
): Write {
  const { pk, orderNo, channel, outTradeNo } = attempt
  return putTask(
    {
      pk,
      bizType: 'QUERY_PAYMENT',
      bizNo: `${channel}/${outTradeNo}`,
      orderNo,
      channel,
      source,
      at: plusMs(now, FIRST_QUERY_MS),
    },
    overrides,
    now,
  )
}

/** An order in PAYING that nobody booked: its payAttempts shall each have a query task, whatever became of the first one. */
export async function watchPayingOrder(
  ledger: Ledger,
  order: OrderRow,
  overrides: PolicyOverrides,
  now: Instant,
): Promise<boolean> {
  if (order.dueAt === undefined) return false
  const file = await readCollection(ledger, order.pk)
  const open = file.payAttempts.filter((attempt) => isOpen(attempt.state))
  const writes: readonly Write[] = [
    {
      op: 'update',
      key: { pk: order.pk, sk: order.sk },
      set: { dueAt: plusMs(now, PAYING_LOOK_MS) },
      when: allOf(revIs(order.rev), dueAtIs(order.dueAt)),
    },
    ...open.map(({ pk, channel, outTradeNo }) =>
      putQueryPayment({ pk, orderNo: order.orderNo, channel, outTradeNo }, overrides, now, 'INSPECTION'),
    ),
  ]
  return (await commit(ledger, writes, now)).kind === 'done'
}
