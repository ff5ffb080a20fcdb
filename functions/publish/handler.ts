// Trigger: the ledger's stream, filtered to new JOURNAL rows and to those that the sweep has given a `wake`.
// Reads: nothing. Writes: one event per change of an order to the EventBridge bus (receivers drop repeats by detail.id), and a
// mark in the journal row of what the bus did not take.
// On failure: the marked row comes again by the sweep, for ever. A record whose row could not be marked comes again (bisect,
// bounded), then the on-failure queue and its alarm. Separate from dispatch, so neither blocks the other.
import { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import { instantOf } from '../../modules/core/instant.ts'
import { openLedger } from '../../modules/ledger/table/client.ts'
import { eachChange } from '../../modules/runtime/frame/each-record.ts'
import { openFrame } from '../../modules/runtime/frame/open-frame.ts'
import { readSettings } from '../../modules/runtime/settings.ts'
import { type PublishDeps, publishChange } from './publish-change.ts'
import { readJournal } from './read-journal.ts'
import { publishSettings } from './settings.ts'

const settings = readSettings(publishSettings)
const deps: PublishDeps = {
  // A batch of 100 goes over 50 connections: two rounds of these tries and the marks after them end within the function's time.
  bus: new EventBridgeClient({
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 500, requestTimeout: 3000, throwOnRequestTimeout: true },
  }),
  busName: settings.BUS_NAME,
  ledger: openLedger(settings.LEDGER_TABLE),
  now: () => instantOf(Date.now()),
}

/** As many at a time as the SDK opens connections; the tries of one event and of its mark end within this. */
const LIMITS = { concurrency: 50, needsMs: 11_000 }

export const handler = openFrame<DynamoDBStreamEvent, DynamoDBBatchResponse>().handler(eachChange(LIMITS, publishOne))

async function publishOne(record: DynamoDBRecord): Promise<void> {
  const change = readJournal(record)
  if (change !== undefined) await publishChange(deps, change)
}
