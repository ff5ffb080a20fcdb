// Trigger: SQS queue of verified callbacks, in batches with partial failures.
// Reads: guards and the order's file. Writes: the callback with everything that follows from it, in one transaction when it pays a
// waiting order; otherwise the callback first, then one transaction.
// On failure: a SETTLE_CALLBACK task; when the ledger does not answer, the message comes again and at last reaches the DLQ (salvage).

import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { parseByKeys } from '../../modules/booking/parse-by-keys.ts'
import { type TakeDeps, takeCallback } from '../../modules/booking/take-callback.ts'
import { asksBack } from '../../modules/channels/clients.ts'
import { type Parse, parserOf } from '../../modules/channels/parsers.ts'
import { instantOf } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { openLedger } from '../../modules/ledger/table/client.ts'
import { readCallbackMessage } from '../../modules/queues/callback-message.ts'
import { openRawStore } from '../../modules/raw-store/raw-store.ts'
import { eachMessage } from '../../modules/runtime/frame/each-record.ts'
import { openFrame } from '../../modules/runtime/frame/open-frame.ts'
import { openSecretCache } from '../../modules/runtime/secrets/secret-cache.ts'
import { openSecretTexts } from '../../modules/runtime/secrets/secret-texts.ts'
import { readSettings } from '../../modules/runtime/settings.ts'
import { addLogFields } from '../../modules/runtime/telemetry/log.ts'
import { settleSettings } from './settings.ts'

const settings = readSettings(settleSettings)
const deps: TakeDeps = {
  ledger: openLedger(settings.LEDGER_TABLE),
  raw: openRawStore(settings.RAW_BUCKET),
  policies: bindPolicies(settings.POLICIES),
  notices: settings.NOTICES,
  canAskBack: asksBack(settings.CHANNELS),
  now: () => instantOf(Date.now()),
}
const parsers = new Map(settings.CHANNELS.map((account) => [account.id as string, parserOf(account)]))
const secretsManager = new SecretsManagerClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 500, requestTimeout: 2000, throwOnRequestTimeout: true },
})
const secrets = openSecretCache<Parse>(
  openSecretTexts(secretsManager, Date.now),
  settings.CHANNEL_SECRETS,
  (id, text) => {
    const parser = parsers.get(id)
    if (parser === undefined) throw new RangeError(`'${id}' is no configured channel.`)
    return parser.openKeys(text)
  },
  Date.now,
)

/** A callback's transactions with their repeats end well within this. */
const LIMITS = { concurrency: 5, needsMs: 20_000 }

export const handler = openFrame<SQSEvent, SQSBatchResponse>().handler(eachMessage(LIMITS, settleOne))

async function settleOne(record: SQSRecord): Promise<void> {
  addLogFields({ messageId: record.messageId })
  const { verified, bodySha256 } = readCallbackMessage(record.body)
  addLogFields({ channel: verified.channel })
  await takeCallback(deps, verified, bodySha256, await parseByKeys(secrets, verified))
}
