// Trigger: one SQS queue per lane (each channel, merchant, internal), in batches with partial failures.
// Reads: task, order and what the task's type needs. Writes: a claim, then one transaction with the outcome and its effect.
// On failure: the task's own ladder, ending in MANUAL; a message that keeps failing reaches the lane's DLQ, the sweep finds its row.

import { setTimeout } from 'node:timers/promises'
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { parseByKeys } from '../../modules/booking/parse-by-keys.ts'
import { atEndpoints } from '../../modules/channels/at-endpoints.ts'
import { asksBack, type ChannelClient, clientOf } from '../../modules/channels/clients.ts'
import { type Parse, parserOf } from '../../modules/channels/parsers.ts'
import { instantOf } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { openGate } from '../../modules/gate/open-gate.ts'
import { openLedger } from '../../modules/ledger/table/client.ts'
import { sendWebhook } from '../../modules/outgoing/webhook/send-webhook.ts'
import { readSigningKeys, type SigningKeys } from '../../modules/outgoing/webhook/sign-webhook.ts'
import { readTaskMessage } from '../../modules/queues/task-message.ts'
import { openRawStore } from '../../modules/raw-store/raw-store.ts'
import { eachMessage } from '../../modules/runtime/frame/each-record.ts'
import { openFrame } from '../../modules/runtime/frame/open-frame.ts'
import { openSecretCache } from '../../modules/runtime/secrets/secret-cache.ts'
import { openSecretTexts } from '../../modules/runtime/secrets/secret-texts.ts'
import { readSettings } from '../../modules/runtime/settings.ts'
import { openChannelDesk } from './asking/channel-desk.ts'
import type { SendDelivery } from './delivering/deliver-webhook.ts'
import { sendDelivery } from './delivering/send-delivery.ts'
import { closeAttemptHandler } from './handlers/close-attempt.ts'
import { closeOrderHandler } from './handlers/close-order.ts'
import { deliverHandler } from './handlers/deliver.ts'
import { notifyHandler } from './handlers/notify.ts'
import { queryPaymentHandler } from './handlers/query-payment.ts'
import { queryRefundHandler } from './handlers/query-refund.ts'
import { reviewHandler } from './handlers/review.ts'
import { settleCallbackHandler } from './handlers/settle-callback.ts'
import { LONGEST_CALLS_MS } from './longest-calls.ts'
import { runTask } from './run-task.ts'
import { workSettings } from './settings.ts'
import { ChannelNotConfiguredError, type WorkDeps } from './work-deps.ts'

const settings = readSettings(workSettings)
const ledger = openLedger(settings.LEDGER_TABLE)
const policies = bindPolicies(settings.POLICIES)
const now = () => instantOf(Date.now())
const privateOrigins = new Set(settings.PRIVATE_ORIGINS)
const secretsManager = new SecretsManagerClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 500, requestTimeout: 2000, throwOnRequestTimeout: true },
})
const secretTexts = openSecretTexts(secretsManager, Date.now)
const accounts = atEndpoints(settings.CHANNELS, settings.CHANNEL_ENDPOINTS)
const channelSecrets = settings.CHANNEL_SECRETS
const parsers = new Map(accounts.map((account) => [account.id, parserOf(account)]))
const channelKeys = openSecretCache<Parse>(
  secretTexts,
  channelSecrets,
  (id, text) => known(parsers, id).openKeys(text),
  Date.now,
)
const MERCHANT = 'merchant'
const merchantKeys = openSecretCache<SigningKeys>(
  secretTexts,
  { [MERCHANT]: settings.MERCHANT_SECRET },
  (_id, text) => readSigningKeys(text),
  Date.now,
)

const gate = openGate(settings.GATE_TABLE, { overrides: settings.GATES })
const sleep = (ms: number): Promise<void> => setTimeout(ms)
const clients = new Map(accounts.map((account) => [account.id, clientOf(account)]))
const clientKeys = openSecretCache<ChannelClient>(
  secretTexts,
  channelSecrets,
  (id, text) => known(clients, id).openKeys(text),
  Date.now,
)
const desk = openChannelDesk({
  gate,
  now,
  sleep,
  abilities: (channel) => known(clients, channel),
  client: (channel) => clientKeys.get(channel),
  clientAfresh: (channel) => clientKeys.refetch(channel),
})
const booking = { ledger, policies, notices: settings.NOTICES, now, canAskBack: asksBack(accounts) }
const deliveryUrl = settings.DELIVERY_URL
const send: SendDelivery = (webhook) =>
  sendDelivery(
    () => merchantKeys.get(MERCHANT),
    (keys) => sendWebhook(webhook, keys, privateOrigins, Date.now),
  )

const deps: WorkDeps = {
  ledger,
  policies,
  now,
  random: Math.random,
  gate,
  sleep,
  handlers: {
    CLOSE_ATTEMPT: closeAttemptHandler(desk, booking),
    CLOSE_ORDER: closeOrderHandler(desk, booking),
    QUERY_PAYMENT: queryPaymentHandler(desk, booking),
    QUERY_REFUND: queryRefundHandler(desk, booking),
    DELIVER: deliverHandler(deliveryUrl, send, booking, settings.DELIVERY_INTERFACES),
    NOTIFY: notifyHandler(deliveryUrl, send),
    REVIEW: reviewHandler,
    SETTLE_CALLBACK: settleCallbackHandler({ ...booking, raw: openRawStore(settings.RAW_BUCKET) }, (verified) =>
      parseByKeys(channelKeys, verified),
    ),
  },
}

/** @throws ChannelNotConfiguredError */
function known<T>(byChannel: ReadonlyMap<string, T>, channel: string): T {
  const found = byChannel.get(channel)
  if (found === undefined) throw new ChannelNotConfiguredError(channel)
  return found
}

/** A claim is begun only while the longest calls of a task can still end: else its lease holds the task for minutes. */
const LIMITS = { concurrency: 5, needsMs: LONGEST_CALLS_MS }

export const handler = openFrame<SQSEvent, SQSBatchResponse>().handler(
  eachMessage(LIMITS, ({ body }, { awsRequestId }) => runTask(deps, readTaskMessage(body), awsRequestId)),
)
