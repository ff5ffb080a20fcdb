import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { CreateScheduleGroupCommand, GetScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler'
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { ListStateMachinesCommand, SFNClient } from '@aws-sdk/client-sfn'
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs'
import { afterEach, expect, it } from 'vitest'
import type { Engine } from '../../../local/engines/engine.ts'
import { type Gateway, startGateway } from '../../../local/engines/gateway.ts'

const gateways: Gateway[] = []
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close()
})

/** An engine that answers `{}` and writes down that it was asked. */
function anEngine(name: string, asked: string[], handle?: Engine['handle']): Engine {
  const answer: Engine['handle'] = async (_request, response) => {
    asked.push(name)
    response.writeHead(200).end('{}')
  }
  return { handle: handle ?? answer, nextDueAt: () => undefined, close: () => {} }
}

async function start(asked: string[] = [], handleS3?: Engine['handle'], port?: number): Promise<Gateway> {
  const engines = {
    sqs: anEngine('sqs', asked),
    scheduler: anEngine('scheduler', asked),
    s3: anEngine('s3', asked, handleS3),
    secretsManager: anEngine('secretsManager', asked),
    eventBridge: anEngine('eventBridge', asked),
    stepFunctions: anEngine('stepFunctions', asked),
  }
  const gateway = await startGateway({ engines, ...(port !== undefined && { port }) })
  gateways.push(gateway)
  return gateway
}

async function get(url: string, options: object = {}): Promise<IncomingMessage> {
  const [response] = await once(httpRequest(url, options).end(), 'response')
  return response.resume()
}

it('each SDK client reaches its own engine through one address', async () => {
  const asked: string[] = []
  const { url: endpoint } = await start(asked)
  const config = { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }

  await new SQSClient(config).send(new ListQueuesCommand({}))
  await new SchedulerClient(config).send(new GetScheduleCommand({ Name: 't.1' }))
  await new SchedulerClient(config).send(new CreateScheduleGroupCommand({ Name: 'g' }))
  await new SecretsManagerClient(config).send(new GetSecretValueCommand({ SecretId: 'x' }))
  await new EventBridgeClient(config).send(new PutEventsCommand({ Entries: [] }))
  await new SFNClient(config).send(new ListStateMachinesCommand({}))
  await new S3Client(config).send(new HeadBucketCommand({ Bucket: 'schedules-of-mine' }))

  expect(asked).toEqual(['sqs', 'scheduler', 'scheduler', 'secretsManager', 'eventBridge', 'stepFunctions', 's3'])
})

it('a taken port is refused in one sentence', async () => {
  const { port } = await start()

  const second = start([], undefined, port)

  await expect(second).rejects.toMatchObject({ code: 'PORT_TAKEN', message: expect.stringContaining(String(port)) })
})

it('requests count as in flight until they are answered', async () => {
  const arrived = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const gateway = await start([], async (_request, response) => {
    arrived.resolve()
    await release.promise
    response.end()
  })
  const answer = get(`${gateway.url}/bucket/key`)
  await arrived.promise
  const during = gateway.inFlight()

  release.resolve()
  await once(await answer, 'end')

  expect(during).toBe(1)
  await expect.poll(() => gateway.inFlight()).toBe(0)
})

it('a bug in an engine is a 500 and the gateway goes on', async () => {
  const gateway = await start([], () => Promise.reject(new Error('bug')))

  const first = await get(`${gateway.url}/bucket`)
  const second = await get(`${gateway.url}/schedules`)

  expect([first.statusCode, second.statusCode]).toEqual([500, 200])
})

it('a target that no engine serves is refused', async () => {
  const { url } = await start()

  const response = await get(url, { method: 'POST', headers: { 'x-amz-target': 'Kinesis_20131202.PutRecord' } })

  expect(response.statusCode).toBe(400)
})

it('a request under a foreign host name is refused', async () => {
  const { url } = await start()

  const response = await get(`${url}/bucket`, { headers: { host: 'rebound.example' } })

  expect(response.statusCode).toBe(403)
})

it('connections are kept and used again', async () => {
  const { url } = await start()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const sockets = new Set<unknown>()

  for (let n = 0; n < 3; n++) {
    const response = await get(`${url}/bucket`, { agent })
    sockets.add(response.socket)
    await once(response, 'end')
  }

  expect(sockets.size).toBe(1)
  agent.destroy()
})
