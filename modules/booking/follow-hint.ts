import type { ChannelTxnId } from '../core/ids.ts'
import type { Instant } from '../core/instant.ts'
import { isOpen } from '../core/pay-attempt.ts'
import type { PolicyOverrides } from '../core/task-policies.ts'
import { setVerdict } from '../ledger/callback/record-callback.ts'
import { readCollection } from '../ledger/read/queries.ts'
import { commit } from '../ledger/table/commit.ts'
import { revIs } from '../ledger/table/conditions.ts'
import { taskNoOf } from '../ledger/table/names.ts'
import type { PayAttemptRow, TaskRow } from '../ledger/table/rows.ts'
import type { Write } from '../ledger/table/make-write.ts'
import { startTask, wakeTask } from '../ledger/task/plan-task.ts'
import { putTask } from '../ledger/task/put-task.ts'
import {
  type BookDeps,
  type BookResult,
  CONTENDED,
  type EventToBook,
  finish,
  MAX_DECISIONS,
  resultOf,
} from './booked.ts'

/**
 * A hint (PayPal) decides nothing: it has the payAttempt's channel asked now, and keeps the payment that it named where the question
 * has no other number to ask by. A payment that this question might not find gets a question of its own, which ends once the payment
 * is booked. One whose order is not here yet waits for it.
 * Source: docs/design/messages.md, ChannelEvent
 */
export async function followHint(deps: BookDeps, input: EventToBook): Promise<BookResult> {
  const { location, event, evidence } = input
  const recorded = setVerdict(evidence, 'recorded')
  const names = event.kind === 'payment' && location.transaction === undefined ? event.channelTxnId : undefined
  for (let round = 0; round < MAX_DECISIONS; round++) {
    const { order, payAttempts, tasks } = await readCollection(deps.ledger, location.pk)
    if (order === undefined)
      return names === undefined ? finish(deps, [recorded], 'recorded') : { kind: 'orderUnknown' }
    const attempt = payAttempts.find((row) => row.channel === event.channel && row.outTradeNo === event.outTradeNo)
    const now = deps.now()
    const task = attempt && tasks.find((row) => row.taskNo === taskNoOf('QUERY_PAYMENT', bizNoOf(attempt)))
    const isFound = attempt !== undefined && names !== undefined && willFind(attempt, task, names)
    const named: Asked['named'] = isFound ? { channelTxnId: names } : {}
    const writes = [
      ...(attempt === undefined ? [] : wakeOrStart({ ...input, attempt, named }, task, deps.overrides, now)),
      ...(names === undefined || isFound ? [] : askAboutPayment(input, names, deps.overrides, now)),
    ]
    const result = await commit(deps.ledger, [...writes, recorded], now)
    if (result.kind !== 'lost') return resultOf(result, 'recorded')
  }
  return CONTENDED
}

/** Whether the payAttempt's own question will ask by the payment's number: it has no other one, and has not begun. */
function willFind({ state, channelRef }: PayAttemptRow, task: TaskRow | undefined, names: ChannelTxnId): boolean {
  // The question of a try that is over ends at sight.
  if (!isOpen(state) || channelRef !== undefined) return false
  if (task === undefined) return true
  const isAhead = task.status === 'WAITING' || task.status === 'RETRY'
  const before = task.requestSnapshot?.['channelTxnId']
  return isAhead && (before === undefined || before === names)
}

/** One question for each payment, however often it is hinted at. */
function askAboutPayment(
  { event, location, evidence }: EventToBook,
  channelTxnId: ChannelTxnId,
  overrides: PolicyOverrides,
  now: Instant,
): readonly Write[] {
  if (location.orderNo === undefined) return []
  const { channel, outTradeNo } = event
  return [
    putTask(
      {
        pk: location.pk,
        bizType: 'QUERY_PAYMENT',
        bizNo: `${channel}/${outTradeNo}/${channelTxnId}`,
        orderNo: location.orderNo,
        channel,
        source: 'CALLBACK',
        at: now,
        requestSnapshot: { channelTxnId, wokenBy: evidence.sk, wokenAt: now },
      },
      overrides,
      now,
    ),
  ]
}

function wakeOrStart(
  asked: Asked,
  task: TaskRow | undefined,
  overrides: PolicyOverrides,
  now: Instant,
): readonly Write[] {
  return task === undefined ? startQuery(asked, overrides, now) : wakeQuery(task, asked, now)
}

interface Asked extends EventToBook {
  readonly attempt: PayAttemptRow
  readonly named: Readonly<Record<string, unknown>>
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
  const requestSnapshot = { ...task.requestSnapshot, ...named, wokenBy: evidence.sk, wokenAt: now }
  const note: Write = {
    op: 'update',
    key: { pk: task.pk, sk: task.sk },
    set: { requestSnapshot },
    when: revIs(task.rev),
  }
  switch (task.status) {
    case 'WAITING':
    case 'RETRY': {
      const { writes } = wakeTask({ ...task, requestSnapshot }, evidence.sk, now)
      return writes.length > 0 ? writes : [note]
    }
    case 'PROCESSING':
      return [note]
    case 'SUCCESS':
    case 'MANUAL':
    case 'CLOSED':
      return []
    default:
      return task.status satisfies never
  }
}
