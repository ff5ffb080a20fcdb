import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { salvageMessage } from '../../functions/salvage/salvage-message.ts'
import { openS3 } from '../../local/engines/s3/open-s3.ts'
import type { VerifiedCallback } from '../../modules/channels/channel.ts'
import { orphanPk } from '../../modules/ledger/table/keys.ts'
import type { RawStore } from '../../modules/raw-store/raw-store.ts'
import { serveEngine } from '../local/engines/s3/serve-engine.ts'
import { withFaults } from '../support/faults.ts'
import { collectionOf, fileOf, paid, putPayingOrder, taskOf, tasksOf, verdictsOf } from '../support/ledger-builders.ts'
import { openWorld, type World } from '../support/world.ts'
import { aCallback, BANK, callbackOf, sha256 } from '../support/world-bank.ts'

const dir = mkdtempSync(join(tmpdir(), 'backstop-salvage-'))
let server: Awaited<ReturnType<typeof serveEngine>>
let raw: RawStore

beforeAll(async () => {
  const engine = openS3({ dir, clock: { now: Date.now, onLeap: () => {} } })
  engine.createBucket('raw-callbacks')
  server = await serveEngine(engine)
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const client = new S3Client({ region: 'us-east-1', endpoint: server.url, forcePathStyle: true, credentials })
  raw = { client, bucket: 'raw-callbacks' }
})
afterAll(async () => {
  raw.client.destroy()
  await server.close()
  rmSync(dir, { recursive: true })
})

const messageOf = ({ channel, receivedAt, keyId, headers, body }: VerifiedCallback): string =>
  JSON.stringify({
    v: 1,
    channel,
    receivedAt,
    keyId,
    headers,
    bodyBase64: body.toString('base64'),
    bodySha256: sha256(body),
  })

const rescuePk = (callback: VerifiedCallback): string => orphanPk(BANK, `sha256-${sha256(callback.body).slice(0, 32)}`)

const readBucket = async (Key: string): Promise<string | undefined> =>
  (await raw.client.send(new GetObjectCommand({ Bucket: raw.bucket, Key }))).Body?.transformToString()

const rescue = (world: World, callback: VerifiedCallback, id = 'message-1') =>
  salvageMessage(world.takeDeps, id, messageOf(callback))

it('a dead message becomes a kept callback with a task, and the task books it in its own order', async () => {
  const world = await openWorld({ raw })
  const orderNo = await putPayingOrder(world)
  const callback = aCallback(paid(orderNo))

  await rescue(world, callback)
  const rescued = await collectionOf(world, rescuePk(callback))
  await world.run(taskOf(rescued, 'SETTLE_CALLBACK'))

  const file = await fileOf(world, orderNo)
  expect(verdictsOf(rescued)).toEqual(['parked'])
  expect(file.order?.status).toBe('PAID')
  expect(verdictsOf(file)).toEqual(['applied'])
  expect(verdictsOf(await collectionOf(world, rescuePk(callback)))).toEqual(['recorded'])
  expect(taskOf(await collectionOf(world, rescuePk(callback)), 'SETTLE_CALLBACK').status).toBe('SUCCESS')
})

it('a message that is rescued again after it was booked changes nothing', async () => {
  const world = await openWorld({ raw })
  const orderNo = await putPayingOrder(world)
  const callback = aCallback(paid(orderNo))
  await rescue(world, callback)
  await world.run(taskOf(await collectionOf(world, rescuePk(callback)), 'SETTLE_CALLBACK'))

  await rescue(world, callback)
  await rescue(world, callback)

  expect(verdictsOf(await collectionOf(world, rescuePk(callback)))).toEqual(['recorded'])
  expect(taskOf(await collectionOf(world, rescuePk(callback)), 'SETTLE_CALLBACK').status).toBe('SUCCESS')
  expect((await fileOf(world, orderNo)).payments).toHaveLength(1)
})

it('a rescued message whose order is not there yet waits in the order’s own collection', async () => {
  const world = await openWorld({ raw })
  const callback = aCallback(paid('ORDER-of-salvage'))
  await rescue(world, callback)

  await world.run(taskOf(await collectionOf(world, rescuePk(callback)), 'SETTLE_CALLBACK'))

  const file = await collectionOf(world, 'ORDER#ORDER-of-salvage')
  expect(verdictsOf(file)).toEqual(['parked'])
  expect(tasksOf(file, 'SETTLE_CALLBACK')).toHaveLength(1)
})

it('a rescued message that no parser can read ends in a ticket', async () => {
  const world = await openWorld({ raw })
  const callback = callbackOf('not json', 'evt-dead-xml')
  await rescue(world, callback)

  await world.run(taskOf(await collectionOf(world, rescuePk(callback)), 'SETTLE_CALLBACK'))

  expect(verdictsOf(await collectionOf(world, orphanPk(BANK, 'evt-dead-xml')))).toEqual(['unreadable'])
  expect(tasksOf(await collectionOf(world, orphanPk(BANK, 'unreadable/body')), 'REVIEW')).toHaveLength(1)
})

it.each(['no json', '{"v":2}', ''])('a message that is none (%j) is kept in the bucket to the byte', async (text) => {
  const world = await openWorld({ raw })

  await salvageMessage(world.takeDeps, `odd-${text.length}`, text)

  expect(await readBucket(`salvage/odd-${text.length}.json`)).toBe(text)
})

it('when the ledger does not answer, the bucket keeps the message', async () => {
  const world = await openWorld({ raw })
  const callback = aCallback(paid('ORDER-unlucky'))
  const ledger = withFaults(world.ledger, ({ fail }) => fail('unavailable'))

  await salvageMessage({ ...world.takeDeps, ledger }, 'no-ledger', messageOf(callback))

  expect(await readBucket('salvage/no-ledger.json')).toBe(messageOf(callback))
})

it('when neither takes it, the message stays in its queue', async () => {
  const world = await openWorld()
  const ledger = withFaults(world.ledger, ({ fail }) => fail('unavailable'))

  await expect(
    salvageMessage({ ...world.takeDeps, ledger }, 'no-home', messageOf(aCallback(paid('ORDER-x')))),
  ).rejects.toThrow()
})
