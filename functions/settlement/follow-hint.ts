import type { ChannelEvent } from '../core/channel-event.ts'
import type { Instant } from '../core/instant.ts'
import type { PolicyOverrides } from '../core/task-policies.ts'
import { commit } from '../ledger/commit.ts'
import { revIs } from '../ledger/conditions.ts'
import { startTask, wakeTask } from '../ledger/create-task.ts'
import { taskNoOf } from '../ledger/names.ts'
import { readCollection } from '../ledger/queries.ts'
import { setVerdict } from '../ledger/record-callback.ts'
import type { PayAttemptRow, TaskRow } from '../ledger/rows.ts'
import type { Write } from '../ledger/writes.ts'
import {
  CONTENDED,
  type EventToSettle,
  finish,
  MAX_DECISIONS,
  resultOf,
  type SettleDeps,
  type SettleResult,
} from './settle-result.ts'

/**
 * A hint (PayPal) proves nothing and decides nothing: it only has the payAttempt's channel asked now instead of at its next time,
 * and keeps the payment that it named where the question has no other number to ask by.
 * Source: design.md 4a, ChannelEvent
 */
export async function followHint(deps: SettleDeps, input: EventToSettle): Promise<SettleResult> {
  const { location, event, evidence } = input
  const recorded = setVerdict(evidence, 'recorded')
  for (let round = 0; round < MAX_DECISIONS; round++) {
    const { payAttempts, tasks } = await readCollection(deps.ledger, location.pk)
    const attempt = payAttempts.find((row) => row.channel === event.channel && row.outTradeNo === event.outTradeNo)
    // Nobody to ask about yet: the question comes with the payAttempt, seconds after it begins.
    if (location.orderNo === undefined || attempt === undefined) return finish(deps, [recorded], 'recorded')
    const asked = { ...input, attempt, named: namedBy(event, attempt) }
    const taskNo = taskNoOf('QUERY_PAYMENT', bizNoOf(attempt))
    const task = tasks.find((row) => row.taskNo === taskNo)
    const now = deps.now()
    const writes = task === undefined ? startQuery(asked, deps.overrides, now) : wakeQuery(task, asked, now)
    const result = await commit(deps.ledger, [...writes, recorded], now)
    if (result.kind !== 'lost') return resultOf(result, 'recorded')
  }
  return CONTENDED
}

interface Asked extends EventToSettle {
  readonly attempt: PayAttemptRow
  readonly named: Readonly<Record<string, unknown>>
}

/** Kept for the question only where the payAttempt has no number of the channel's own, which is the better one to ask by. */
function namedBy({ channelTxnId }: ChannelEvent, { channelRef }: PayAttemptRow): Asked['named'] {
  return channelRef === undefined && channelTxnId !== undefined ? { channelTxnId } : {}
}

function bizNoOf({ channel, outTradeNo }: PayAttemptRow): string {
  return `${channel}/${outTradeNo}`
}

function startQuery(
  { attempt, location, evidence, named }: Asked,
  overrides: PolicyOverrides,
  now: Instant,
): readonly Write[] {
  if (attempt.state === 'PAID') return []
  const { pk, channel } = attempt
  const { orderNo } = location
  const requestSnapshot = { ...named, wokenBy: evidence.sk, wokenAt: now }
  const task = { pk, bizType: 'QUERY_PAYMENT', bizNo: bizNoOf(attempt), channel, source: 'CALLBACK' } as const
  return startTask({ ...task, ...(orderNo !== undefined && { orderNo }), at: now, requestSnapshot }, overrides, now)
    .writes
}

/** One that is being asked goes on by its ladder; one that has ended, or is a person's, is left alone. */
function wakeQuery(task: TaskRow, { evidence, named }: Asked, now: Instant): readonly Write[] {
  const requestSnapshot = { ...task.requestSnapshot, ...named }
  switch (task.status) {
    case 'WAITING':
    case 'RETRY': {
      const { writes } = wakeTask({ ...task, requestSnapshot }, evidence.sk, now)
      return writes.length > 0 ? writes : keepNamed(task, requestSnapshot, named)
    }
    case 'PROCESSING':
      return keepNamed(task, requestSnapshot, named)
    case 'SUCCESS':
    case 'MANUAL':
    case 'CLOSED':
      return []
    default:
      return task.status satisfies never
  }
}

function keepNamed(
  task: TaskRow,
  requestSnapshot: TaskRow['requestSnapshot'],
  named: Asked['named'],
): readonly Write[] {
  if (Object.keys(named).length === 0) return []
  return [{ op: 'update', key: { pk: task.pk, sk: task.sk }, set: { requestSnapshot }, when: revIs(task.rev) }]
}
