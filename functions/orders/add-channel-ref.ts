import type { z } from 'zod'
import type { OrderNo, OutTradeNo } from '../../modules/core/ids.ts'
import { decideUntilCommitted } from '../../modules/http-api/decide-until-committed.ts'
import { type Answer, invalidField, ProblemError } from '../../modules/http-api/problem.ts'
import { addChannelRefWrites } from '../../modules/ledger/pay-attempt/add-channel-ref-write.ts'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import type { PayAttemptRow } from '../../modules/ledger/table/rows.ts'
import type { OrdersDeps } from './deps.ts'
import type { addChannelRefBody } from './schemas.ts'
import { viewPayAttempt } from './views.ts'

type AddChannelRefBody = z.output<typeof addChannelRefBody>

/**
 * Keeps the channel's own number of a try, once; the same again changes nothing.
 * @throws ProblemError PAY_ATTEMPT_NOT_FOUND, CHANNEL_REF_DIFFERS, VALIDATION_FAILED when the channel must be named
 */
export function addChannelRef(
  deps: OrdersDeps,
  orderNo: OrderNo,
  outTradeNo: OutTradeNo,
  { channel, channelRef }: AddChannelRefBody,
): Promise<Answer> {
  return decideUntilCommitted(deps, async (now) => {
    const { payAttempts, tasks } = await readOrderFile(deps.ledger, orderNo)
    const attempt = findAttempt(payAttempts, outTradeNo, channel)
    if (attempt.channelRef === channelRef) {
      return { kind: 'answer', answer: { status: 200, body: viewPayAttempt(orderNo, attempt) } }
    }
    if (attempt.channelRef !== undefined) {
      throw new ProblemError(
        'CHANNEL_REF_DIFFERS',
        'A channelRef is set once. Start another payment attempt for another.',
        {
          fields: [{ field: 'channelRef', problem: "differs from the payment attempt's" }],
        },
      )
    }
    const changed = { ...attempt, channelRef, rev: attempt.rev + 1, updatedAt: now }
    return {
      kind: 'commit',
      writes: addChannelRefWrites(attempt, channelRef, { orderNo, tasks }, { ...deps, now }),
      answer: { status: 200, body: viewPayAttempt(orderNo, changed) },
    }
  })
}

function findAttempt(
  payAttempts: readonly PayAttemptRow[],
  outTradeNo: OutTradeNo,
  channel: AddChannelRefBody['channel'],
): PayAttemptRow {
  const [attempt, second] = payAttempts.filter(
    (row) => row.outTradeNo === outTradeNo && (channel === undefined || row.channel === channel),
  )
  if (attempt === undefined) {
    throw new ProblemError(
      'PAY_ATTEMPT_NOT_FOUND',
      'Start the payment attempt first, with POST to the order’s payments.',
    )
  }
  if (second !== undefined) throw invalidField('channel', 'must be given: the number exists on several channels')
  return attempt
}
