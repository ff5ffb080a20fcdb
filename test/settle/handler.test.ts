import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { openSecretsManager, type SecretsManager } from '../../local/engines/secrets-manager/open-secrets-manager.ts'
import type { VerifiedCallback } from '../../modules/channels/channel.ts'
import { serveEngine } from '../local/engines/s3/serve-engine.ts'
import { aContext } from '../support/context.ts'
import { openTestLedger } from '../support/ledger.ts'
import { fileOf, paid, putPayingOrder } from '../support/ledger-builders.ts'
import { openWorld } from '../support/world.ts'
import { aCallback, BANK_SECRET, bankAccount, callbackOf, sha256 } from '../support/world-bank.ts'

const dir = mkdtempSync(join(tmpdir(), 'backstop-settle-'))
const ARN = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:bank'
const { endpoint, table } = await openTestLedger()
let store: SecretsManager
let server: Awaited<ReturnType<typeof serveEngine>>
let handler: (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>

beforeAll(async () => {
  store = openSecretsManager({ path: join(dir, 'secrets.sqlite'), clock: { now: Date.now, onLeap: () => {} } })
  server = await serveEngine(store)
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const client = new SecretsManagerClient({ endpoint: server.url, region: 'us-east-1', credentials })
  await client.send(new CreateSecretCommand({ Name: 'bank', SecretString: BANK_SECRET }))
  client.destroy()
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: server.url,
    LEDGER_TABLE: table,
    RAW_BUCKET: 'raw',
    CHANNELS: JSON.stringify([bankAccount]),
    CHANNEL_SECRETS: JSON.stringify({ bank: ARN }),
    POLICIES: '{}',
  })
  handler = (await import('../../functions/settle/handler.ts')).handler
})
afterEach(() => vi.restoreAllMocks())
afterAll(async () => {
  await server.close()
  store.close()
  rmSync(dir, { recursive: true })
})

function messageOf({ channel, receivedAt, keyId, headers, body }: VerifiedCallback): string {
  const bodyBase64 = body.toString('base64')
  return JSON.stringify({ v: 1, channel, receivedAt, keyId, headers, bodyBase64, bodySha256: sha256(body) })
}

const deliver = (bodies: readonly string[]): Promise<SQSBatchResponse> => {
  const records = bodies.map(
    (body, index): SQSRecord => Object.assign(Object.create(null), { messageId: `m${index}`, body }),
  )
  return handler({ Records: records }, aContext('settle'))
}

it('a batch books what it can, and only the poisoned message comes again', async () => {
  const world = await openWorld()
  const orders = [await putPayingOrder(world), await putPayingOrder(world)]
  const good = orders.map((orderNo) => messageOf(aCallback(paid(orderNo))))

  const result = await deliver([good[0] ?? '', '{"v":1}', good[1] ?? ''])

  expect(result).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] })
  for (const orderNo of orders) expect((await fileOf(world, orderNo)).order?.status).toBe('PAID')
})

it('the line of a booked callback has the id of its message and the order; the one of a failed message has its id', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const lines: unknown[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    lines.push(JSON.parse(String(chunk)))
    return true
  })

  await deliver([messageOf(aCallback(paid(orderNo), { eventId: 'evt-told' })), '{"v":1}'])

  const taken = { message: 'A callback was taken.', messageId: 'm0', orderNo, channel: 'bank', eventId: 'evt-told' }
  expect(lines).toHaveLength(2)
  expect(lines).toContainEqual(
    expect.objectContaining({ ...taken, result: 'applied', source: 'CALLBACK', PaymentApplied: 1 }),
  )
  expect(lines).toContainEqual(expect.objectContaining({ level: 'ERROR', messageId: 'm1', code: 'MESSAGE_FORMAT' }))
})

it('a callback that nobody can read is taken: it is no reason to come again', async () => {
  expect(await deliver([messageOf(callbackOf('<xml/>', 'evt-handler-xml'))])).toEqual({ batchItemFailures: [] })
})

it('a message of a channel that is not configured comes again, and at last reaches the dead letters', async () => {
  const message = JSON.parse(messageOf(aCallback(paid('ORDER-gone'))))

  expect(await deliver([JSON.stringify({ ...message, channel: 'gone-bank' })])).toEqual({
    batchItemFailures: [{ itemIdentifier: 'm0' }],
  })
})
