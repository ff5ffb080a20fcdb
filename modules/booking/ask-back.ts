import { bizNoOf } from '../core/biz-no.ts'
import type { ChannelEvent } from '../core/channel-event.ts'
import type { ChannelTxnId } from '../core/ids.ts'
import { type Instant, plusMs } from '../core/instant.ts'
import { isEnded } from '../core/task.ts'
import { setVerdict } from '../ledger/callback/record-callback.ts'
import type { TaskContext } from '../ledger/context.ts'
import { decideAndCommit } from '../ledger/decide-and-commit.ts'
import { touchOrder } from '../ledger/order/touch-order.ts'
import { type OrderFile, readCollection } from '../ledger/read/queries.ts'
import { revIs } from '../ledger/table/conditions.ts'
import type { Write } from '../ledger/table/make-write.ts'
import { taskNoOf } from '../ledger/table/names.ts'
import type { TaskRow } from '../ledger/table/rows.ts'
import { update } from '../ledger/table/writes.ts'
import { startTask, wakeTask } from '../ledger/task/plan-task.ts'
import { requestOf } from '../ledger/task/snapshots.ts'
import { appendTo, raiseTicket } from '../ledger/ticket/raise-ticket.ts'
import { emitMetric } from '../runtime/telemetry/metrics.ts'
import { type BookDeps, type BookResult, type EventToBook, resultOf } from './booked.ts'
import { hintedQuestions, MAX_HINTED, tooManyHints } from './hinted-questions.ts'

/** A hint that names a payment, and that money of it went back; or a payment of which it says no more than its number. */
export type AskableHint = ChannelEvent & { readonly trust: 'hint'; readonly channelTxnId: ChannelTxnId }

export function isAskable(event: ChannelEvent): event is AskableHint {
  const { kind, trust, channelTxnId, outTradeNo } = event
  if (trust !== 'hint' || channelTxnId === undefined) return false
  return kind === 'refund' || kind === 'dispute' || (kind === 'payment' && outTradeNo === undefined)
}

/**
 * A hint may be forged in all that it says: it freezes nothing and opens no ticket, it has the channel asked, and the answer is the
 * fact. There are few such questions to an order; beyond them one ticket.
 * Source: docs/design/money-back.md, Undone money; docs/design/rules.md
 */
export async function askBack(
  deps: BookDeps,
  input: EventToBook & { readonly event: AskableHint },
): Promise<BookResult> {
  let opened = false
  const decided = await decideAndCommit<BookResult>(deps, async ({ now }) => {
    const file = await readCollection(deps.ledger, input.location.pk)
    const asked = ask(file, input, { ...deps, now })
    opened = asked.isTicket
    const writes = [...asked.writes, setVerdict(input.evidence, 'recorded')]
    return { kind: 'commit', writes, value: { kind: 'booked', verdict: 'recorded' } }
  })
  const result = resultOf(decided)
  if (result.kind === 'booked' && opened) emitMetric('TicketsOpened')
  return result
}

type Hint = EventToBook & { readonly event: AskableHint }

function ask(
  { order, tasks }: OrderFile,
  hint: Hint,
  context: TaskContext,
): { readonly writes: readonly Write[]; readonly isTicket: boolean } {
  const { newest, turn } = newestOf(tasks, hint.event)
  if (newest !== undefined && !isEnded(newest.status) && !isPassedBy(newest, hint.event)) {
    return { writes: goOn(newest, hint, context.now), isTicket: false }
  }
  if (hintedQuestions(tasks).length >= MAX_HINTED) {
    const raised = raiseTicket(tasks, tooManyHints(hint), context)
    return { writes: raised.writes, isTicket: raised.isNew }
  }
  // The order's revision counts the questions: two hints at once cannot both put the last one.
  const counted = order === undefined ? [] : [touchOrder(order)]
  return { writes: [...startQuestion(hint, turn, context), ...counted], isTicket: false }
}

/** Its answer is on its way, may be older than the hint, and may end it. */
function isPassedBy(task: TaskRow, event: AskableHint): boolean {
  if (task.status !== 'PROCESSING') return false
  const before = requestOf('QUERY_REFUND', task)
  const { refundIds = [], disputeIds = [] } = named(event, before)
  return refundIds.at(-1) !== before.refundIds?.at(-1) || disputeIds.at(-1) !== before.disputeIds?.at(-1)
}

/** The newest question about the payment, and which turn the next one is. */
function newestOf(tasks: readonly TaskRow[], { channel, channelTxnId }: AskableHint) {
  const byNo = new Map(tasks.map((task) => [task.taskNo, task]))
  let newest: TaskRow | undefined
  for (let turn = 1; ; turn++) {
    const found = byNo.get(taskNoOf('QUERY_REFUND', questionNo(channel, channelTxnId, turn)))
    if (found === undefined) return { newest, turn }
    // A number with a slash may look like a turn of another one.
    if (requestOf('QUERY_REFUND', found).channelTxnId === channelTxnId) newest = found
  }
}

function questionNo(channel: AskableHint['channel'], channelTxnId: ChannelTxnId, turn: number) {
  return bizNoOf('QUERY_REFUND', { channel, channelTxnId, ...(turn > 1 && { turn }) })
}

function startQuestion({ event, location, evidence }: Hint, turn: number, context: TaskContext): readonly Write[] {
  const { pk, orderNo } = location
  const { channel, channelTxnId } = event
  const bizNo = questionNo(channel, channelTxnId, turn)
  const requestSnapshot = { channelTxnId, ...named(event, {}), wokenBy: evidence.sk, wokenAt: context.now }
  const task = { pk, bizType: 'QUERY_REFUND', bizNo, orderNo, channel, source: 'CALLBACK', at: context.now } as const
  return startTask({ ...task, requestSnapshot }, context).writes
}

/** A captured message can be repeated at will: its question is not put sooner than this after the last one. */
const WAKE_DISTANCE_MS = 60_000

/** A question that is open learns what else was named, and is asked now; one that is a person's gets the evidence. */
function goOn(task: TaskRow, { event, evidence }: Hint, now: Instant): readonly Write[] {
  if (task.status === 'MANUAL') return appendTo(task, { evidence: evidence.sk, details: {} })
  const before = requestOf('QUERY_REFUND', task)
  const movements = named(event, before)
  const { wokenAt } = before
  const isWoken = task.status !== 'PROCESSING' && (wokenAt === undefined || plusMs(wokenAt, WAKE_DISTANCE_MS) <= now)
  const requestSnapshot = { ...task.requestSnapshot, ...movements }
  if (isWoken) {
    const { writes } = wakeTask({ ...task, requestSnapshot }, evidence.sk, now)
    if (writes.length > 0) return writes
  }
  return [update(task, { set: { requestSnapshot } }, revIs(task.rev))]
}

/** So many movements of one payment are asked for by name; what the channel lists by itself is told all the same. */
const MAX_NAMED = 5

/** The movements that hints named so far, with this one's. */
function named(
  { kind, undo, channelRefundId }: AskableHint,
  {
    refundIds,
    disputeIds,
  }: { readonly refundIds?: readonly string[] | undefined; readonly disputeIds?: readonly string[] | undefined },
) {
  const refunds = withOne(refundIds, kind === 'refund' ? (channelRefundId ?? undo?.id) : undefined)
  const disputes = withOne(disputeIds, kind === 'dispute' ? undo?.id : undefined)
  return {
    ...(refunds.length > 0 && { refundIds: [...refunds] }),
    ...(disputes.length > 0 && { disputeIds: [...disputes] }),
  }
}

function withOne(before: readonly string[] = [], id: string | undefined): readonly string[] {
  return id === undefined || before.includes(id) ? before : [...before, id].slice(-MAX_NAMED)
}
