import { decidePayAttemptEnd } from '../core/decide-attempt-end.ts'
import type { Instant } from '../core/instant.ts'
import { setVerdict } from '../ledger/callback/record-callback.ts'
import type { TaskContext } from '../ledger/context.ts'
import { decideAndCommit } from '../ledger/decide-and-commit.ts'
import { conflictWrites } from '../ledger/order/freeze-conflict.ts'
import { endPayAttemptWrites } from '../ledger/pay-attempt/end-pay-attempt.ts'
import { type OrderFile, readCollection } from '../ledger/read/queries.ts'
import type { Write } from '../ledger/table/make-write.ts'
import { type BookDeps, type BookResult, causeOf, type EventToBook, resultOf } from './booked.ts'

/** Takes in that a channel called a payAttempt failed or closed; it touches nothing but that try (and PAYING → PAY_FAILED). */
export async function endPayAttempt(deps: BookDeps, input: EventToBook): Promise<BookResult> {
  const decided = await decideAndCommit<BookResult>(deps, async ({ now }) => {
    const file = await readCollection(deps.ledger, input.location.pk)
    const contradiction = contradict(file, input, { ...deps, now })
    const verdict = contradiction.length > 0 ? 'conflict' : 'recorded'
    const ended = contradiction.length > 0 ? contradiction : endWrites(file, input, now)
    return {
      kind: 'commit',
      writes: [...ended, setVerdict(input.evidence, verdict)],
      value: { kind: 'booked', verdict },
    }
  })
  return resultOf(decided)
}

/** A payment that is booked cannot have failed: two stories, and a person decides. */
function contradict(
  { pk, order, payments }: OrderFile,
  { event, ...input }: EventToBook,
  context: TaskContext,
): readonly Write[] {
  const { kind, channel, channelTxnId } = event
  const payment = payments.find((row) => row.channel === channel && row.channelTxnId === channelTxnId)
  const isBooked = payment !== undefined && payment.role !== 'AWAITED'
  if (kind !== 'failed' || channelTxnId === undefined || !isBooked) return []
  const orders = order === undefined ? [] : [order]
  const cause = causeOf({ ...input, event }, 'FAILED_AFTER_PAID')
  return conflictWrites({ pk, orders, payment, event: { ...event, channelTxnId } }, cause, context)
}

function endWrites({ order, payAttempts }: OrderFile, input: EventToBook, now: Instant): readonly Write[] {
  const { event } = input
  const attempt = payAttempts.find((row) => row.channel === event.channel && row.outTradeNo === event.outTradeNo)
  if (order === undefined || attempt === undefined) return []
  const others = payAttempts.filter((row) => row !== attempt).map((row) => row.state)
  const kind = event.kind === 'failed' ? 'failed' : 'closed'
  const decision = decidePayAttemptEnd(kind, attempt.state, others, order.status)
  if (decision.kind === 'nothing') return []
  const cause = causeOf(input, kind === 'failed' ? 'CHANNEL_FAILED' : 'CHANNEL_CLOSED')
  return endPayAttemptWrites(order, attempt, decision, { cause, now })
}
