// Trigger: the ledger's stream, filtered to new JOURNAL rows.
// Reads: nothing. Writes: one event per change of an order to the EventBridge bus; receivers drop repeats by detail.id.
// On failure: the record comes again (bisect, bounded), then the on-failure queue and its alarm. Separate from dispatch, so neither blocks the other.
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import { setting } from '../settings.ts'
import { handleEach } from '../telemetry/each-record.ts'
import { readJournal } from './read-journal.ts'

const busName = setting('BUS_NAME')
const bus = new EventBridgeClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 500, requestTimeout: 3000, throwOnRequestTimeout: true },
})

export async function handler(event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> {
  return handleEach(event.Records, sequenceOf, publishOne, () => context.getRemainingTimeInMillis())
}

const sequenceOf = (record: DynamoDBRecord): string => record.dynamodb?.SequenceNumber ?? ''

/** EventBridge answered 200 and yet did not take the event. */
export class EventNotTakenError extends Error {
  override readonly name = 'EventNotTakenError'
  readonly code = 'EVENT_NOT_TAKEN'
}

async function publishOne(record: DynamoDBRecord): Promise<void> {
  const change = readJournal(record)
  if (change === undefined) return
  const answer = await bus.send(
    new PutEventsCommand({
      Entries: [
        {
          EventBusName: busName,
          Source: 'backstop',
          DetailType: change.detailType,
          Detail: JSON.stringify(change.detail),
        },
      ],
    }),
  )
  const failure = answer.Entries?.find((entry) => entry.ErrorCode !== undefined)
  if (failure !== undefined)
    throw new EventNotTakenError(`The bus refused an event: ${failure.ErrorCode}. It is sent again.`)
}
