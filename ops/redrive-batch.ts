import { DeleteMessageCommand, type Message } from '@aws-sdk/client-sqs'
import { readJournal } from '../functions/publish/read-journal.ts'
import { markDueNow } from '../modules/ledger/notice/mark-journal.ts'
import type { DeadLetters } from './dead-letters.ts'
import type { OpsDeps } from './deps.ts'
import type { Line } from './line.ts'
import { readBatch, type StreamBatch, TrimmedError } from './stream-batch.ts'

/** As the outputs name them, by the construct that gave up. */
const OF_PUBLISH = 'DeadLettersPublishReaderFailures'
const OF_DISPATCH = 'DeadLettersDispatchReaderFailures'

type Said = Pick<Line, 'result'> & { readonly detail: string }

/**
 * What a reader of the stream gave up. What publish did not tell is marked in its rows as due now, and the sweep brings it to the
 * bus; what dispatch did not send needs nothing, for the sweep finds those rows. Marked first, deleted then: a death between the two
 * marks twice, which is harmless.
 * Source: docs/adr/0013-journal-rows-are-marked-when-publishing-fails.md
 */
export async function redriveBatch(
  { streams, ledger, sqs, now }: OpsDeps,
  { name, url }: DeadLetters,
  message: Message,
  batch: StreamBatch,
): Promise<Said> {
  const forget = () => sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message.ReceiptHandle }))
  if (name === OF_DISPATCH) {
    await forget()
    return { result: 'skipped', detail: `${SWEPT}; the message is deleted` }
  }
  if (name !== OF_PUBLISH) return { result: 'refused', detail: STRANGE }
  try {
    const changes = await readChanges(streams, batch)
    let marked = 0
    for (const { key } of changes) if (await markDueNow(ledger, key, now())) marked++
    await forget()
    const rest = marked < changes.length ? `; marked before: ${changes.length - marked}` : ''
    return { result: 'done', detail: `changes marked as due now, for the sweep to bring to the bus: ${marked}${rest}` }
  } catch (error) {
    if (error instanceof TrimmedError) return { result: 'refused', detail: adviseOn(batch) }
    throw error
  }
}

/** What {@link redriveBatch} would do, without doing it. */
export async function describeBatch({ streams }: OpsDeps, { name }: DeadLetters, batch: StreamBatch): Promise<Said> {
  if (name === OF_DISPATCH) return { result: 'would do', detail: `${SWEPT}; the message would be deleted` }
  if (name !== OF_PUBLISH) return { result: 'refused', detail: STRANGE }
  try {
    const changes = await readChanges(streams, batch)
    const orders = [...new Set(changes.map(({ detail }) => detail.orderNo))]
    return {
      result: 'would do',
      detail: `changes that would be marked as due now: ${changes.length}, of ${shorten(orders)}`,
    }
  } catch (error) {
    if (error instanceof TrimmedError) return { result: 'refused', detail: adviseOn(batch) }
    throw error
  }
}

const SWEPT = 'the rows of these triggers are in the due index, and the sweep wakes them by itself'
const STRANGE = 'a piece of the stream, in a queue of no reader of it; read it, delete it'

async function readChanges(streams: OpsDeps['streams'], batch: StreamBatch) {
  // What the sweep asked for in vain is still marked, and it asks again: only rows that were new then have no mark.
  const records = (await readBatch(streams, batch)).filter(({ eventName }) => eventName === 'INSERT')
  return records.flatMap((record) => readJournal(record) ?? [])
}

function adviseOn({ approximateArrivalOfFirstRecord: from, approximateArrivalOfLastRecord: to }: StreamBatch): string {
  return (
    `the stream keeps a day and has these changes no more; tell the subscribers the time from ${from} to ${to}, ` +
    'for which they read the journal of their orders (GET /orders/{orderNo}), then delete the message'
  )
}

const SHOWN = 5

function shorten(orders: readonly string[]): string {
  const rest = orders.length - SHOWN
  return `${orders.slice(0, SHOWN).join(', ') || 'no order'}${rest > 0 ? ` and ${rest} more` : ''}`
}
