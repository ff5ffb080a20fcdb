// Trigger: HTTP POST /callbacks/{channel}, called by payment channels.
// Reads: the channel's secret (kept 5 minutes), PayPal's certificate (kept a day). Writes: one SQS message.
// On failure: the channel's own failure answer, or 503; the channel sends again. Nothing is acknowledged that is not queued.

import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { atEndpoints } from '../../modules/channels/at-endpoints.ts'
import type { ChannelAnswer } from '../../modules/channels/channel.ts'
import { type Verify, verifierOf } from '../../modules/channels/verifiers.ts'
import { instantOf } from '../../modules/core/instant.ts'
import { openFrame } from '../../modules/runtime/frame/open-frame.ts'
import { openSecretCache } from '../../modules/runtime/secrets/secret-cache.ts'
import { openSecretTexts } from '../../modules/runtime/secrets/secret-texts.ts'
import { readSettings } from '../../modules/runtime/settings.ts'
import { countRefusal } from './count-refusal.ts'
import { readRequest } from './read-request.ts'
import { type IngressChannel, receiveCallback } from './receive-callback.ts'
import { ingressSettings } from './settings.ts'

const settings = readSettings(ingressSettings)
const queueUrl = settings.CALLBACK_QUEUE_URL
const accounts = atEndpoints(settings.CHANNELS, settings.CHANNEL_ENDPOINTS)
const verifiers = new Map(accounts.map((account) => [account.id as string, { account, ...verifierOf(account) }]))
// Tries × time-out stay inside the 5 s that WeChat Pay waits.
const limits = { connectionTimeout: 500, requestTimeout: 1200, throwOnRequestTimeout: true }
const sqs = new SQSClient({ maxAttempts: 2, requestHandler: limits })
const secrets = openSecretCache<Verify>(
  openSecretTexts(new SecretsManagerClient({ maxAttempts: 2, requestHandler: limits }), Date.now),
  settings.CHANNEL_SECRETS,
  (id, text) => {
    const verifier = verifiers.get(id)
    if (verifier === undefined) throw new RangeError(`'${id}' is no configured channel.`)
    return verifier.openKeys(text)
  },
  Date.now,
)
const channels = new Map(
  [...verifiers].map(([id, { account, ack, refusal, prepare }]): [string, IngressChannel] => [
    id,
    {
      account,
      ack,
      refusal,
      verify: async (request, receivedAt) => {
        await prepare?.(request)
        return (await secrets.get(id))(request, receivedAt)
      },
      verifyAfresh: async (request, receivedAt) => (await secrets.refetch(id))?.(request, receivedAt),
    },
  ]),
)

export const handler = openFrame<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>().handler(takeRequest)

async function takeRequest(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  const channel = channels.get(event.pathParameters?.['channel'] ?? '')
  if (channel === undefined) return { statusCode: 404, body: '' }
  const request = readRequest(event)
  if (request === 'tooLarge') {
    countRefusal(channel.account.id, 'too-large')
    return { statusCode: 413, body: '' }
  }
  return toHttp(await receiveCallback(request, channel, send, instantOf(Date.now())))
}

async function send(message: string): Promise<string | undefined> {
  const { MessageId } = await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: message }))
  return MessageId
}

function toHttp({ status, headers, body }: ChannelAnswer): APIGatewayProxyStructuredResultV2 {
  return { statusCode: status, headers: { ...headers }, body }
}
