// Trigger: one SQS queue per lane (each channel, merchant, internal), in batches with partial failures.
// Reads: task, order and what the task's type needs. Writes: a claim, then one transaction with the outcome and its effect.
// On failure: the task's own ladder, ending in MANUAL; a message that keeps failing reaches the lane's DLQ, the sweep finds its row.
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { ChannelAccount } from '../channels/account.ts'
import { type Parse, parserOf } from '../channels/parsers.ts'
import { instantOf } from '../core/instant.ts'
import type { PolicyOverrides } from '../core/task-policies.ts'
import { openLedger } from '../ledger/client.ts'
import { openRawStore } from '../raw-store/raw-store.ts'
import { openSecretCache } from '../secrets/secret-cache.ts'
import { jsonSetting, optionalSetting, setting } from '../settings.ts'
import { handleEach } from '../telemetry/each-record.ts'
import { sendWebhook } from '../webhook/send-webhook.ts'
import { readSigningKeys, type SigningKeys } from '../webhook/sign-webhook.ts'
import { closeOrderHandler } from './handlers/close-order.ts'
import { deliverHandler } from './handlers/deliver.ts'
import { settleCallbackHandler } from './handlers/settle-callback.ts'
import { readTaskMessage } from './read-message.ts'
import { runTask } from './run-task.ts'
import type { WorkDeps } from './work-deps.ts'

const ledger = openLedger(setting('LEDGER_TABLE'))
const overrides = jsonSetting<PolicyOverrides>('POLICIES')
const now = () => instantOf(Date.now())
const privateOrigins = new Set(
  optionalSetting('PRIVATE_ORIGINS')
    .split(',')
    .filter((origin) => origin !== ''),
)
const secretsManager = new SecretsManagerClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 500, requestTimeout: 2000, throwOnRequestTimeout: true },
})
const parsers = new Map(
  jsonSetting<readonly ChannelAccount[]>('CHANNELS').map((account) => [account.id as string, parserOf(account)]),
)
const channelKeys = openSecretCache<Parse>(
  secretsManager,
  jsonSetting<Record<string, string>>('CHANNEL_SECRETS'),
  (id, text) => {
    const parser = parsers.get(id)
    if (parser === undefined) throw new RangeError(`'${id}' is no configured channel.`)
    return parser.openKeys(text)
  },
  Date.now,
)
const MERCHANT = 'merchant'
const merchantKeys = openSecretCache<SigningKeys>(
  secretsManager,
  { [MERCHANT]: setting('MERCHANT_SECRET') },
  (_id, text) => readSigningKeys(text),
  Date.now,
)

const deps: WorkDeps = {
  ledger,
  overrides,
  now,
  random: Math.random,
  handlers: {
    CLOSE_ORDER: closeOrderHandler,
    DELIVER: deliverHandler(
      setting('DELIVERY_URL'),
      async (webhook) => sendWebhook(webhook, await merchantKeys.get(MERCHANT), privateOrigins, Date.now),
      jsonSetting<Record<string, string>>('DELIVERY_INTERFACES'),
    ),
    SETTLE_CALLBACK: settleCallbackHandler(
      { ledger, overrides, now, raw: openRawStore(setting('RAW_BUCKET')) },
      (channel) => channelKeys.get(channel),
    ),
  },
}

export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  return handleEach(
    event.Records,
    (record) => record.messageId,
    (record) => runTask(deps, readTaskMessage(record.body), context.awsRequestId),
    () => context.getRemainingTimeInMillis(),
  )
}
