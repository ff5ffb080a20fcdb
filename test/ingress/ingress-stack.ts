import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateSecretCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda'
import { vi } from 'vitest'
import { openSecretsManager } from '../../local/engines/secrets-manager/open-secrets-manager.ts'
import type { ChannelAccount } from '../../modules/channels/account.ts'
import { serveEngine } from '../local/engines/s3/serve-engine.ts'
import { startSqs } from '../local/engines/sqs/start-sqs.ts'
import { aContext } from '../support/context.ts'

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<APIGatewayProxyStructuredResultV2>
export type Request = Partial<Pick<APIGatewayProxyEventV2, 'headers' | 'body' | 'isBase64Encoded'>> & {
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>
}

/** The deployed handler on a queue and a secret store of this machine, whose calls are counted. */
export async function startIngress(
  accounts: readonly ChannelAccount[],
  secrets: Readonly<Record<string, string>>,
  endpoints: Readonly<Record<string, string>> = {},
) {
  const dir = mkdtempSync(join(tmpdir(), 'backstop-ingress-'))
  const sqs = await startSqs()
  const { url: queueUrl } = await sqs.engine.createQueue('callbacks', { VisibilityTimeout: 30 })
  const store = openSecretsManager({ path: join(dir, 'secrets.sqlite'), clock: { now: Date.now, onLeap: () => {} } })
  const calls = { secrets: 0, sqs: 0 }
  const behaviour = { refuseSecrets: false, breakQueue: false }
  const storeServer = await serveEngine({
    handle: async (request, response) => {
      calls.secrets++
      if (behaviour.refuseSecrets) return refuse(request, response)
      await store.handle(request, response)
    },
  })
  const queueServer = createServer((request, response) => {
    calls.sqs++
    if (behaviour.breakQueue) response.writeHead(500).end()
    else void sqs.engine.handle(request, response)
  })
  await new Promise<void>((resolve) => queueServer.listen(0, '127.0.0.1', resolve))
  const address = queueServer.address()
  const queuePort = typeof address === 'object' && address !== null ? address.port : 0
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const client = new SecretsManagerClient({ endpoint: storeServer.url, region: 'us-east-1', credentials })
  for (const [Name, SecretString] of Object.entries(secrets))
    await client.send(new CreateSecretCommand({ Name, SecretString }))
  calls.secrets = 0

  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_SECRETS_MANAGER: storeServer.url,
    AWS_ENDPOINT_URL_SQS: `http://127.0.0.1:${queuePort}`,
    CALLBACK_QUEUE_URL: `http://127.0.0.1:${queuePort}${new URL(queueUrl).pathname}`,
    CHANNELS: JSON.stringify(accounts),
    CHANNEL_SECRETS: JSON.stringify(Object.fromEntries(accounts.map(({ id }) => [id, arnOf(id)]))),
    CHANNEL_ENDPOINTS: JSON.stringify(endpoints),
  })
  vi.resetModules()
  const loaded: { readonly handler: Handler } = await import('../../functions/ingress/handler.ts')

  return {
    calls,
    behaviour,
    post: (channel: string, request: Request) => loaded.handler(eventOf(channel, request), aContext('ingress')),
    rotate: (SecretId: string, SecretString: string) =>
      client.send(new PutSecretValueCommand({ SecretId, SecretString })),
    async queued(): Promise<readonly string[]> {
      const answer = await sqs.client.send(
        new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 }),
      )
      return (answer.Messages ?? []).map(({ Body }) => Body ?? '')
    },
    async stop(): Promise<void> {
      client.destroy()
      await storeServer.close()
      store.close()
      queueServer.closeAllConnections()
      await new Promise<void>((resolve) => queueServer.close(() => resolve()))
      await sqs.stop()
      rmSync(dir, { recursive: true })
    },
  }
}

export const arnOf = (name: string): string => `arn:aws:secretsmanager:us-east-1:000000000000:secret:${name}`

function refuse(request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  response.writeHead(400, { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-errortype': 'AccessDeniedException' })
  response.end(JSON.stringify({ __type: 'AccessDeniedException', Message: 'not allowed' }))
}

function eventOf(channel: string, request: Request): APIGatewayProxyEventV2 {
  return Object.assign(Object.create(null), {
    version: '2.0',
    routeKey: 'POST /callbacks/{channel}',
    headers: {},
    isBase64Encoded: false,
    pathParameters: { channel },
    ...request,
  })
}
