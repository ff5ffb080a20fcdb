import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { afterAll, expect, it } from 'vitest'
import { openEventBridge } from '../../../../local/engines/event-bridge/open-event-bridge.ts'
import { openS3 } from '../../../../local/engines/s3/open-s3.ts'
import { openSecretsManager } from '../../../../local/engines/secrets-manager/open-secrets-manager.ts'
import { realClock } from '../../../../local/host/clock/clock.ts'
import { serveEngine } from './serve-engine.ts'

const dir = mkdtempSync(join(tmpdir(), 'backstop-kill-'))
const config = (endpoint: string) => ({
  endpoint,
  region: 'us-east-1',
  maxAttempts: 1,
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
})
let host: ChildProcess | undefined
afterAll(() => {
  host?.kill('SIGKILL')
  rmSync(dir, { recursive: true })
})

/** Writes number after number until the other side is gone, from four writers. @returns those that were answered */
async function writeUntilGone(write: (n: number) => Promise<unknown>, onAnswer: () => void): Promise<number[]> {
  const answered: number[] = []
  let next = 0
  const writeOn = async () => {
    for (;;) {
      const n = next++
      await write(n)
      answered.push(n)
      onAnswer()
    }
  }
  await Promise.allSettled([writeOn(), writeOn(), writeOn(), writeOn()])
  return answered
}

it('what was answered is there after a kill in the middle of writes', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'hold-gateway.ts'), dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  host = child
  const [line] = await once(child.stdout, 'data')
  const url = String(line).trim()
  const [s3, secrets, events] = [
    new S3Client(config(url)),
    new SecretsManagerClient(config(url)),
    new EventBridgeClient(config(url)),
  ]
  let answers = 0
  const kill = () => ++answers === 300 && child.kill('SIGKILL')

  const [objects, names, sent] = await Promise.all([
    writeUntilGone((n) => s3.send(new PutObjectCommand({ Bucket: 'bills', Key: `k${n}`, Body: `v${n}` })), kill),
    writeUntilGone((n) => secrets.send(new CreateSecretCommand({ Name: `s${n}`, SecretString: `v${n}` })), kill),
    writeUntilGone((n) => {
      const entry = { Source: 'backstop', DetailType: 'order.paid', Detail: JSON.stringify({ n }) }
      return events.send(new PutEventsCommand({ Entries: [entry] }))
    }, kill),
  ])

  const reopened = openS3({ dir: join(dir, 's3'), clock: realClock })
  const server = await serveEngine(reopened)
  const client = new S3Client(config(server.url))
  for (const n of objects) {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: 'bills', Key: `k${n}` }))
    expect(await Body?.transformToString()).toBe(`v${n}`)
  }
  await server.close()
  reopened.close()
  const manager = openSecretsManager({ path: join(dir, 'secrets.sqlite'), clock: realClock })
  const secretServer = await serveEngine(manager)
  const again = new SecretsManagerClient(config(secretServer.url))
  for (const n of names) {
    await expect(again.send(new CreateSecretCommand({ Name: `s${n}` }))).rejects.toMatchObject({
      name: 'ResourceExistsException',
    })
  }
  await secretServer.close()
  manager.close()
  const bus = openEventBridge({ path: join(dir, 'events.sqlite'), clock: realClock })
  const kept = new Set(bus.list({ limit: 10_000 }).map(({ event }) => event.detail['n']))
  bus.close()
  expect(sent.filter((n) => !kept.has(n))).toEqual([])
  expect(Math.min(objects.length, names.length, sent.length)).toBeGreaterThan(0)
})
