import { bizNoOf } from '../core/biz-no.ts'
import type { ChannelTxnId } from '../core/ids.ts'
import type { Instant } from '../core/instant.ts'
import { isOpen } from '../core/pay-attempt.ts'
import { setVerdict } from '../ledger/callback/record-callback.ts'
import type { TaskContext } from '../ledger/context.ts'
import { decideAndCommit } from '../ledger/decide-and-commit.ts'
import { touchOrder } from '../ledger/order/touch-order.ts'
import { type OrderFile, readCollection } from '../ledger/read/queries.ts'
import { revIs } from '../ledger/table/conditions.ts'
import type { Write } from '../ledger/table/make-write.ts'
import { taskNoOf } from '../ledger/table/names.ts'
import type { PayAttemptRow, TaskRow } from '../ledger/table/rows.ts'
import { check, update } from '../ledger/table/writes.ts'
import { startTask, wakeTask } from '../ledger/task/plan-task.ts'
import { putTask } from '../ledger/task/put-task.ts'
import { requestOf } from '../ledger/task/snapshots.ts'
import { raiseTicket } from '../ledger/ticket/raise-ticket.ts'
import { type BookDeps, type BookResult, type EventToBook, resultOf } from './booked.ts'
import { hintedQuestions, MAX_HINTED, tooManyHints } from './hinted-questions.ts'

/**
 * A hint (PayPal) decides nothing: it has the payAttempt's channel asked now, and keeps the payment that it named where the question
 * has no other number to ask by. A payment that this question might not find gets a question of its own, which ends once the payment
 * is booked. One whose order is not here yet waits for it.
 * Source: docs/design/messages.md, ChannelEvent
 */
export async function followHint(deps: BookDeps, input: EventToBook): Promise<BookResult> {
  const { location, event, evidence } = input
  const names = event.kind === 'payment' && location.transaction === undefined ? event.channelTxnId : undefined
  const decided = await decideAndCommit<BookResult>(deps, async ({ now }) => {
    const file = await readCollection(deps.ledger, location.pk)
    if (file.order === undefined && names !== undefined) return { kind: 'answer', value: { kind: 'orderUnknown' } }
    const questions = file.order === undefined ? [] : ask(file, input, names, { ...deps, now })
    const writes = [...questions, setVerdict(evidence, 'recorded')]
    return { kind: 'commit', writes, value: { kind: 'booked', verdict: 'recorded' } }
  })
  return resultOf(decided)
}

/** The payAttempt that a hint leads to, its question, and the payment that the hint named for it. */
interface Asked extends EventToBook {
  readonly attempt: PayAttemptRow
  readonly task: TaskRow | undefined
  readonly channelTxnId?: ChannelTxnId | undefined
}

function ask(
  file: OrderFile,
  input: EventToBook,
  names: ChannelTxnId | undefined,
  context: TaskContext,
): readonly Write[] {
  const { event } = input
  const { payAttempts, tasks } = file
  const attempt = payAttempts.find((row) => row.channel === event.channel && row.outTradeNo === event.outTradeNo)
  const taskNo = attempt && taskNoOf('QUERY_PAYMENT', bizNoOf('QUERY_PAYMENT', numbersOf(attempt)))
  const task = tasks.find((row) => row.taskNo === taskNo)
  const isFound = attempt !== undefined && names !== undefined && willFind(attempt, task, names)
  const channelTxnId = isFound ? names : undefined
  return [
    ...(attempt === undefined ? [] : wakeOrStart({ ...input, attempt, task, channelTxnId }, context)),
    // With a channelRef that comes now, the question would ask by that and not by what the hint named.
    ...(attempt !== undefined && isFound ? [check(attempt, revIs(attempt.rev))] : []),
    ...(names === undefined || isFound ? [] : askOrTell(file, input, names, context)),
  ]
}

const numbersOf = ({ channel, outTradeNo }: PayAttemptRow) => ({ channel, outTradeNo })

/** Whether the payAttempt's own question will ask by the payment's number: it has no other one, and has not begun. */
function willFind({ state, channelRef }: PayAttemptRow, task: TaskRow | undefined, names: ChannelTxnId): boolean {
  // The question of a try that is over ends at sight.
  if (!isOpen(state) || channelRef !== undefined) return false
  if (task === undefined) return true
  const isAhead = task.status === 'WAITING' || task.status === 'RETRY'
  const before = requestOf('QUERY_PAYMENT', task).channelTxnId
  return isAhead && (before === undefined || before === names)
}

/** Asks about what a hint named, and has the close wait for it; where too many were named, a person is told once. */
function askOrTell(
  { order, tasks }: OrderFile,
  input: EventToBook,
  names: ChannelTxnId,
  context: TaskContext,
): readonly Write[] {
  const questions = askAboutPayment(input, names, context)
  const known = hintedQuestions(tasks)
  const isNew = !known.some(({ bizNo }) => questions.some((put) => put.op === 'put' && put.item['bizNo'] === bizNo))
  if (!isNew) return questions
  if (known.length >= MAX_HINTED) return raiseTicket(tasks, tooManyHints(input), context).writes
  return order === undefined || questions.length === 0 ? questions : [...questions, touchOrder(order)]
}

/** One question for each payment, however often it is hinted at. */
function askAboutPayment(
  { event, location, evidence }: EventToBook,
  channelTxnId: ChannelTxnId,
  context: TaskContext,
): readonly Write[] {
  const { pk, orderNo } = location
  const { channel, outTradeNo } = event
  if (orderNo === undefined || outTradeNo === undefined) return []
  const bizNo = bizNoOf('QUERY_PAYMENT', { channel, outTradeNo, channelTxnId })
  const requestSnapshot = { channelTxnId, wokenBy: evidence.sk, wokenAt: context.now }
  const task = { pk, bizType: 'QUERY_PAYMENT', bizNo, orderNo, channel, source: 'CALLBACK', at: context.now } as const
  return [putTask({ ...task, requestSnapshot }, context)]
}

function wakeOrStart(asked: Asked, context: TaskContext): readonly Write[] {
  return asked.task === undefined ? startQuery(asked, context) : wakeQuery(asked.task, asked, context.now)
}

function startQuery(
  { attempt, location: { orderNo }, evidence, channelTxnId }: Asked,
  context: TaskContext,
): readonly Write[] {
  if (attempt.state === 'PAID') return []
  const { pk, channel } = attempt
  const bizNo = bizNoOf('QUERY_PAYMENT', numbersOf(attempt))
  const requestSnapshot = { channelTxnId, wokenBy: evidence.sk, wokenAt: context.now }
  const task = { pk, bizType: 'QUERY_PAYMENT', bizNo, orderNo, channel, source: 'CALLBACK', at: context.now } as const
  return startTask({ ...task, requestSnapshot }, context).writes
}

/** One that is being asked goes on by its ladder; one that has ended, or is a person's, is left alone. */
function wakeQuery(task: TaskRow, { evidence, channelTxnId }: Asked, now: Instant): readonly Write[] {
  const named = channelTxnId === undefined ? {} : { channelTxnId }
  const requestSnapshot = { ...task.requestSnapshot, ...named, wokenBy: evidence.sk, wokenAt: now }
  const note = update(task, { set: { requestSnapshot } }, revIs(task.rev))
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
