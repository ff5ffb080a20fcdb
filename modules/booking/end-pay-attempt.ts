import { decidePayAttemptEnd } from '../core/decide-attempt-end.ts'
import type { Instant } from '../core/instant.ts'
import { setVerdict } from '../ledger/callback/record-callback.ts'
import { decideAndCommit } from '../ledger/decide-and-commit.ts'
import { endPayAttemptWrites } from '../ledger/pay-attempt/end-pay-attempt.ts'
import { type OrderFile, readCollection } from '../ledger/read/queries.ts'
import type { Write } from '../ledger/table/make-write.ts'
import { type BookDeps, type BookResult, causeOf, type EventToBook, resultOf } from './booked.ts'

/** Takes in that a channel called a payAttempt failed or closed; it touches nothing but that try (and PAYING → PAY_FAILED). */
export async function endPayAttempt(deps: BookDeps, input: EventToBook): Promise<BookResult> {
  const decided = await decideAndCommit<BookResult>(deps, async ({ now }) => {
    const file = await readCollection(deps.ledger, input.location.pk)
    const writes = [...endWrites(file, input, now), setVerdict(input.evidence, 'recorded')]
    return { kind: 'commit', writes, value: { kind: 'booked', verdict: 'recorded' } }
  })
  return resultOf(decided)
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
