import { setVerdict } from '../ledger/callback/record-callback.ts'
import { decideAndCommit } from '../ledger/decide-and-commit.ts'
import { readCollection } from '../ledger/read/queries.ts'
import { orphanPk } from '../ledger/table/keys.ts'
import { type Fact, raiseTicket } from '../ledger/ticket/raise-ticket.ts'
import { emitMetric } from '../runtime/telemetry/metrics.ts'
import { type BookDeps, type BookResult, type EventToBook, resultOf } from './booked.ts'

/**
 * What only a person can take further, whatever the order's state: money back that only a hint tells of, a payment that does not say
 * what it is, and a word of the channel that no table of this release knows. One ticket a fact; a word is told once, ever.
 */
export async function reviewEvent(deps: BookDeps, input: EventToBook): Promise<BookResult> {
  const fact = factOf(input)
  let isNew = false
  const decided = await decideAndCommit<BookResult>(deps, async ({ now }) => {
    const { tasks } = await readCollection(deps.ledger, fact.pk)
    const raised = raiseTicket(tasks, fact, { ...deps, now })
    isNew = raised.isNew
    const writes = [...raised.writes, setVerdict(input.evidence, 'recorded')]
    return { kind: 'commit', writes, value: { kind: 'booked', verdict: 'recorded' } }
  })
  const result = resultOf(decided)
  if (result.kind === 'booked' && isNew) emitMetric('TicketsOpened')
  return result
}

const KINDS = {
  refund: { kind: 'undone', reason: 'MONEY_UNDONE' },
  dispute: { kind: 'dispute', reason: 'DISPUTE' },
  incomplete: { kind: 'incomplete', reason: 'PAYMENT_INCOMPLETE' },
} as const

function factOf({ location, event, evidence }: EventToBook): Fact {
  const { channel, channelTxnId, eventId, code, undo } = event
  if (event.kind === 'unknown') {
    const word = code ?? 'UNNAMED'
    const message = `The channel tells '${word}', which no table of this release knows. Read the notice, and report the word.`
    // One place for all of a channel's notices with this word.
    const pk = orphanPk(channel, `unknown/${word}`)
    const details = { code: word, callback: evidence.sk, collection: location.pk }
    return {
      pk,
      orderNo: undefined,
      kind: 'unknown',
      channel,
      id: word,
      reason: 'UNKNOWN_CODE',
      message,
      evidence: evidence.sk,
      details,
    }
  }
  const word = event.kind === 'refund' || event.kind === 'dispute' ? KINDS[event.kind] : KINDS.incomplete
  const details = {
    channelTxnId,
    // A hint's figures may be forged (PayPal signs a CRC): the channel's console has the true ones.
    ...(event.trust === 'fact' && { money: undo?.money ?? event.money }),
    trust: event.trust,
    dueAt: undo?.dueAt,
  }
  const { pk, orderNo } = location
  return { pk, orderNo, ...word, channel, id: channelTxnId ?? eventId, evidence: evidence.sk, details }
}
