// Trigger: the callback queue's dead-letter queue.
// Reads: nothing. Writes: each message into the ledger as a callback with a SETTLE_CALLBACK task; what cannot go there into S3.
// On failure: the message stays in the dead-letter queue, whose alarm rings from its first visible message.
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { instantOf } from '../../modules/core/instant.ts'
import type { PolicyOverrides } from '../../modules/core/task-policies.ts'
import { openLedger } from '../../modules/ledger/table/client.ts'
import { openRawStore } from '../../modules/raw-store/raw-store.ts'
import { jsonSetting, setting } from '../../modules/runtime/settings.ts'
import { handleEach } from '../../modules/runtime/telemetry/each-record.ts'
import { salvageMessage } from './salvage-message.ts'

const deps = {
  ledger: openLedger(setting('LEDGER_TABLE')),
  raw: openRawStore(setting('RAW_BUCKET')),
  overrides: jsonSetting<PolicyOverrides>('POLICIES'),
  now: () => instantOf(Date.now()),
}

export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  return handleEach(
    event.Records,
    (record) => record.messageId,
    (record) => salvageMessage(deps, record.messageId, record.body),
    () => context.getRemainingTimeInMillis(),
  )
}
