import type { ChannelId } from '../../core/ids.ts'
import { msOf, plusMs } from '../../core/instant.ts'
import { isPayable } from '../../core/order.ts'
import { isOpen } from '../../core/pay-attempt.ts'
import { closeOrderWrites } from '../../ledger/close-order.ts'
import { closePayAttemptWrite } from '../../ledger/close-pay-attempt.ts'
import { attemptSk } from '../../ledger/keys.ts'
import { readCollection } from '../../ledger/queries.ts'
import type { PayAttemptRow, Row } from '../../ledger/rows.ts'
import type { SettleDeps } from '../../settlement/settle-result.ts'
import type { ChannelDesk } from '../channel-desk.ts'
import { closeAtChannel } from '../close-at-channel.ts'
import type { Execution, Look, TaskHandler, TaskView } from '../task-handler.ts'
import { lastExpiry, waitsForExpiry } from './expiry.ts'
import { unclosed, waitUntil } from './unclosed.ts'

const FROZEN_LOOK_MS = 30 * 60 * 1000
/** After this much of an execution no further payAttempt is begun; the next execution goes on. */
const BUDGET_MS = 5_000
const GO_ON_MS = 1_000

/**
 * CLOSE_ORDER: asks the channel of every payAttempt that could still be paid, closes it there, confirms, and only then closes the
 * order and releases its lines, in one write conditional on the order as it was read before the first question. Found paid, the
 * order becomes PAID. An unknown answer never closes; channels that cannot be asked are waited out (expiry plus grace), then left
 * to callbacks and the bill: money that comes all the same is LATE and goes back.
 * Source: design.md section 5, Asking and closing; seed 003, section 4
 */
export function closeOrderHandler(desk: ChannelDesk, settle: SettleDeps): TaskHandler {
  return {
    restsOnOrder: true,
    reportsToGate: true,
    gates: ({ rows }) => attemptsToAsk(desk, rows).map(({ channel }) => channel),
    load: async (ledger, task, order) => {
      // Most orders are paid by then, and nothing else is looked at.
      if (order === undefined || !isPayable(order.status)) return []
      const file = await readCollection(ledger, task.pk)
      return [...file.payAttempts, ...file.lines]
    },
    look: (view) => lookAtOrder(desk, view),
    call: (view) => closeAll(desk, settle, view),
    commit: ({ task, order, rows, now }, ours) => {
      if (order === undefined || !isPayable(order.status)) return { writes: [], releasesOrder: false }
      const cause = {
        operatorType: 'POLICY',
        operator: 'CLOSE_ORDER',
        reason: 'NOT_PAID_IN_TIME',
        evidence: attemptSk(task.taskNo, task.attempts),
      } as const
      const lines = rows.filter((row) => row.et === 'LINE')
      return {
        writes: [
          ...closeOrderWrites(order, lines, cause, ours, now),
          ...openAttempts(rows).flatMap(closePayAttemptWrite),
        ],
        releasesOrder: true,
      }
    },
  }
}

function openAttempts(rows: readonly Row[]): readonly PayAttemptRow[] {
  return rows.filter((row): row is PayAttemptRow => row.et === 'PAYATTEMPT' && isOpen(row.state))
}

/** Failed tries that are asked beside the open ones, the newest. */
const MAX_FAILED_ASKED = 5

/** A failed try may have succeeded since, or can still be paid: where its channel can be asked, it is asked and closed, too. */
function attemptsToAsk(desk: ChannelDesk, rows: readonly Row[]): readonly PayAttemptRow[] {
  const failed = rows.filter(
    (row): row is PayAttemptRow => row.et === 'PAYATTEMPT' && row.state === 'FAILED' && desk.canQuery(row.channel),
  )
  return [...openAttempts(rows), ...failed.slice(-MAX_FAILED_ASKED)]
}

function lookAtOrder(desk: ChannelDesk, { task, order, rows, now }: TaskView): Look {
  if (order === undefined) {
    return { kind: 'escalate', reason: 'ORDER_NOT_FOUND', message: 'The order that shall be closed is gone.' }
  }
  if (!isPayable(order.status)) return { kind: 'moot', status: 'SUCCESS', reason: `ORDER_${order.status}` }
  if (order.frozen !== undefined) return { kind: 'park', until: plusMs(now, FROZEN_LOOK_MS), reason: 'ORDER_FROZEN' }
  const until = lastExpiry(desk, openAttempts(rows))
  if (waitsForExpiry(until, now)) return { kind: 'park', until, reason: 'PAY_ATTEMPT_NOT_EXPIRED' }
  return { kind: 'go', target: targetOf(attemptsToAsk(desk, rows)), idempotencyKey: task.idempotencyKey }
}

function targetOf(attempts: readonly PayAttemptRow[]): string {
  const channels = new Set<ChannelId>(attempts.map(({ channel }) => channel))
  return channels.size === 0 ? 'ledger' : [...channels].join(',')
}

/** One payAttempt after the other; the first that is not closed decides how the task goes on. */
async function closeAll(desk: ChannelDesk, settle: SettleDeps, view: TaskView): Promise<Execution> {
  const startedMs = msOf(settle.now())
  const passes = new Map(Object.entries(view.passes ?? {}))
  for (const attempt of attemptsToAsk(desk, view.rows)) {
    if (msOf(settle.now()) - startedMs > BUDGET_MS)
      return waitUntil('MORE_PAY_ATTEMPTS', plusMs(settle.now(), GO_ON_MS))
    const pass = passes.get(attempt.channel)
    passes.delete(attempt.channel)
    const closing = await closeAtChannel(desk, attempt, pass)
    if (closing.kind !== 'closed') {
      return unclosed(settle, view, attempt, closing, waitUntil('PAID_MEANWHILE', plusMs(settle.now(), GO_ON_MS)))
    }
  }
  return { outcome: { kind: 'done' } }
}
