import { ReceiveMessageCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startSqs } from './start-sqs.ts'

let sqs: Awaited<ReturnType<typeof startSqs>>
let QueueUrl: string

beforeEach(async () => {
  sqs = await startSqs()
  QueueUrl = (await sqs.engine.createQueue('tasks')).url
})
afterEach(() => sqs.stop())

it('a waiting receiver gets a batch that is sent meanwhile as a whole', async () => {
  const receiving = sqs.engine.receive('tasks', { max: 10, waitMs: 20_000 })

  await sqs.client.send(
    new SendMessageBatchCommand({
      QueueUrl,
      Entries: Array.from({ length: 10 }, (_, i) => ({ Id: `e${i}`, MessageBody: `m${i}` })),
    }),
  )

  expect(await receiving).toHaveLength(10)
})

it('a waiting SDK client is woken by a message that becomes visible in a leap', async () => {
  await sqs.engine.send('tasks', { body: 'in ten minutes', delayS: 600 })
  const receiving = sqs.client.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }))

  sqs.clock.leap(600_000)

  expect((await receiving).Messages?.[0]?.Body).toBe('in ten minutes')
})

it('two waiting receivers share what comes', async () => {
  const receiving = [1, 2].map(() => sqs.engine.receive('tasks', { max: 1, waitMs: 20_000 }))

  await Promise.all(['a', 'b'].map((body) => sqs.engine.send('tasks', { body })))

  const bodies = (await Promise.all(receiving)).flatMap((messages) => messages.map(({ body }) => body))
  expect(bodies.sort()).toEqual(['a', 'b'])
})

it('a wait without messages ends empty', async () => {
  expect(await sqs.engine.receive('tasks', { max: 1, waitMs: 5 })).toEqual([])
})

it('an aborted wait ends at once and takes nothing', async () => {
  const abort = new AbortController()
  const receiving = sqs.engine.receive('tasks', { max: 1, waitMs: 20_000, signal: abort.signal })

  abort.abort()
  const received = await receiving
  await sqs.engine.send('tasks', { body: 'for someone else' })

  expect(received).toEqual([])
  expect(sqs.engine.counts('tasks').visible).toBe(1)
})

it('a client that hangs up while it waits takes nothing', async () => {
  const abort = new AbortController()
  const command = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 })
  const receiving = sqs.client.send(command, { abortSignal: abort.signal })
  // The second call has its answer only after the first one is waiting: same connection order, same process.
  await sqs.client.send(new ReceiveMessageCommand({ QueueUrl }))

  abort.abort()
  await expect(receiving).rejects.toMatchObject({ name: 'AbortError' })
  await sqs.client.send(new ReceiveMessageCommand({ QueueUrl }))
  await sqs.engine.send('tasks', { body: 'for someone else' })

  expect(sqs.engine.counts('tasks').visible).toBe(1)
})

it('closing the engine ends every wait', async () => {
  const receiving = sqs.engine.receive('tasks', { max: 1, waitMs: 20_000 })

  sqs.engine.close()

  expect(await receiving).toEqual([])
  sqs = await startSqs()
})
