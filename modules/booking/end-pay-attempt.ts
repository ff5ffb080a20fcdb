import { decidePayAttemptEnd } from '../core/decide-attempt-end.ts'
import { setVerdict } from '../ledger/callback/record-callback.ts'
import { payAttemptEndWrites } from '../ledger/pay-attempt/end-pay-attempt-writes.ts'
import { readCollection } from '../ledger/read/queries.ts'
import { commit } from '../ledger/table/commit.ts'
import {
  type BookDeps,
  type BookResult,
  CONTENDED,
  causeOf,
  type EventToBook,
  finish,
  MAX_DECISIONS,
  resultOf,
} from './booked.ts'

/** Takes in that a channel called a payAttempt failed or closed; it touches nothing but that try (and PAYING → PAY_FAILED). */
export async function endPayAttempt(
  deps: BookDeps,
  { location, event, evidence, operatorType }: EventToBook,
): Promise<BookResult> {
  for (let round = 0; round < MAX_DECISIONS; round++) {
    const file = await readCollection(deps.ledger, location.pk)
    const attempt = file.payAttempts.find((row) => row.channel === event.channel && row.outTradeNo === event.outTradeNo)
    const recorded = setVerdict(evidence, 'recorded')
    if (file.order === undefined || attempt === undefined) return finish(deps, [recorded], 'recorded')
    const others = file.payAttempts.filter((row) => row !== attempt).map((row) => row.state)
    const decision = decidePayAttemptEnd(
      event.kind === 'failed' ? 'failed' : 'closed',
      attempt.state,
      others,
      file.order.status,
    )
    if (decision.kind === 'nothing') return finish(deps, [recorded], 'recorded')
    const cause = causeOf(event, evidence, operatorType, event.kind === 'failed' ? 'CHANNEL_FAILED' : 'CHANNEL_CLOSED')
    const writes = payAttemptEndWrites(file.order, attempt, decision, cause, deps.now())
    const result = await commit(deps.ledger, [...writes, recorded], deps.now())
    if (result.kind !== 'lost') return resultOf(result, 'recorded')
  }
  return CONTENDED
}
