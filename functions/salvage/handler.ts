// Trigger: the callback queue's dead-letter queue.
// Reads: nothing. Writes: each message into the ledger as a callback with a SETTLE_CALLBACK task; what cannot go there into S3.
// On failure: the message stays in the dead-letter queue, whose alarm rings from its first visible message.

import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { instantOf } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { openLedger } from '../../modules/ledger/table/client.ts'
import { openRawStore } from '../../modules/raw-store/raw-store.ts'
import { eachMessage } from '../../modules/runtime/frame/each-record.ts'
import { openFrame } from '../../modules/runtime/frame/open-frame.ts'
import { readSettings } from '../../modules/runtime/settings.ts'
import { salvageMessage } from './salvage-message.ts'
import { salvageSettings } from './settings.ts'

const settings = readSettings(salvageSettings)
const deps = {
  ledger: openLedger(settings.LEDGER_TABLE),
  raw: openRawStore(settings.RAW_BUCKET),
  policies: bindPolicies(settings.POLICIES),
  now: () => instantOf(Date.now()),
}

/** One write to the ledger and one to the bucket, each with its repeats. */
const LIMITS = { concurrency: 5, needsMs: 20_000 }

export const handler = openFrame<SQSEvent, SQSBatchResponse>().handler(
  eachMessage(LIMITS, ({ messageId, body }) => salvageMessage(deps, messageId, body)),
)
