import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startSqs } from '../local/engines/sqs/start-sqs.ts'
import { openTestLedger } from '../support/ledger.ts'
import { depsFor, NOW, putTaskRow, runCommand } from './setup.ts'

const { ledger } = await openTestLedger()
let sqs: Awaited<ReturnType<typeof startSqs>>
let deps: ReturnType<typeof depsFor>

const MESSAGE = { v: 1, wake: NOW, lane: 'bank-x', cause: 'stream' } as const

beforeEach(async () => {
  sqs = await startSqs()
  await sqs.engine.createQueue('lost', { MessageRetentionPeriod: 1_209_600 })
  for (const name of ['lane', 'callbacks']) {
    const { arn } = await sqs.engine.createQueue(`${name}-dead`, { MessageRetentionPeriod: 1_209_600 })
    await sqs.engine.createQueue(name, {
      VisibilityTimeout: 10,
      RedrivePolicy: { deadLetterTargetArn: arn, maxReceiveCount: 1 },
    })
  }
  deps = depsFor(ledger, 'bank-x', {
    sqs: sqs.client,
    outputs: {
      QueueTasksLanebankx: sqs.urlOf('lane'),
      DeadLettersTasksLanebankx: sqs.urlOf('lane-dead'),
      QueueSettlingCallbacks: sqs.urlOf('callbacks'),
      DeadLettersSettlingCallbacks: sqs.urlOf('callbacks-dead'),
      DeadLettersDispatchLostTriggers: sqs.urlOf('lost'),
    },
  })
})
afterEach(() => sqs.stop())

/** A message that its receiver failed with. */
async function die(queue: 'lane' | 'callbacks', body: unknown): Promise<void> {
  await put(queue, body)
  await sqs.engine.receive(queue, { max: 10, waitMs: 0 })
  sqs.clock.leap(10_000)
  await sqs.engine.receive(queue, { max: 10, waitMs: 0 })
}

const put = (queue: string, body: unknown) =>
  sqs.client.send(
    new SendMessageCommand({
      QueueUrl: sqs.urlOf(queue),
      MessageBody: JSON.stringify(body),
      MessageAttributes: { trace: { DataType: 'String', StringValue: 'abc' } },
    }),
  )

const visible = (queue: string) => sqs.engine.counts(queue).visible

it('a dry run names the task of each message, once, and leaves the message where it is', async () => {
  const { pk, taskNo } = await putTaskRow(ledger, 'bank-x', { status: 'RETRY' })
  await die('lane', { ...MESSAGE, pk, taskNo })
  await die('lane', { what: 'is this' })

  const { code, printed } = await runCommand(deps, 'redrive', 'bank-x', '--dry-run')

  expect(code).toBe(0)
  expect(printed).toHaveLength(3)
  expect(printed).toContainEqual(expect.stringMatching(`^would do redrive .*QUERY_PAYMENT .*${taskNo}, now RETRY$`))
  expect(printed).toContainEqual(expect.stringContaining('names no task'))
  expect(printed.join()).not.toContain('is this')
  expect(visible('lane-dead')).toBe(2)
})

it('dead letters of a lane go back to its queue with body and attributes', async () => {
  const { pk, taskNo } = await putTaskRow(ledger, 'bank-x', { status: 'RETRY' })
  await die('lane', { ...MESSAGE, pk, taskNo })

  const { code, printed } = await runCommand(deps, 'redrive', 'bank-x')

  expect(code).toBe(0)
  expect(printed[0]).toMatch(/^done +redrive DeadLettersTasksLanebankx: 1 messages sent back \(alice, /)
  expect(visible('lane-dead')).toBe(0)
  const [message] = await sqs.engine.receive('lane', { max: 10, waitMs: 0 })
  expect(JSON.parse(message?.body ?? '')).toEqual({ ...MESSAGE, pk, taskNo })
  expect(message?.messageAttributes?.['trace']).toMatchObject({ StringValue: 'abc' })
})

it('what was put there by hand goes to the lane if it names a task, and stays if it does not', async () => {
  const { pk, taskNo } = await putTaskRow(ledger, 'bank-x', { status: 'RETRY' })
  await put('lane-dead', { ...MESSAGE, pk, taskNo })
  await put('lane-dead', { by: 'hand' })

  const { code, printed } = await runCommand(deps, 'redrive', 'bank-x')

  expect(code).toBe(0)
  expect(printed).toHaveLength(4)
  expect(printed).toContainEqual(expect.stringMatching(/^refused .*names no task/))
  expect(printed).toContainEqual(expect.stringMatching(/^done .*sent to lane /))
  const [message] = await sqs.engine.receive('lane', { max: 10, waitMs: 0 })
  expect(JSON.parse(message?.body ?? '')).toMatchObject({ pk, taskNo })
  expect(message?.messageAttributes?.['trace']).toMatchObject({ StringValue: 'abc' })
  expect(visible('lane-dead')).toBe(1)
})

it('a trigger that the scheduler could not place goes to the lane that it names; another message stays', async () => {
  const { pk, taskNo } = await putTaskRow(ledger, 'bank-x', { status: 'RETRY' })
  await put('lost', { ...MESSAGE, pk, taskNo })
  await put('lost', { shardId: 'a piece of the stream' })

  const { code, printed } = await runCommand(deps, 'redrive', 'DispatchLostTriggers')

  expect(code).toBe(0)
  expect(printed.at(-1)).toMatch(/1 done/)
  expect(printed.at(-1)).toMatch(/1 refused/)
  const [message] = await sqs.engine.receive('lane', { max: 10, waitMs: 0 })
  expect(JSON.parse(message?.body ?? '')).toMatchObject({ pk, taskNo })
  expect(visible('lost')).toBe(1)
})

it('dead callbacks are counted and not looked into, for salvage reads that queue', async () => {
  await die('callbacks', { v: 1 })

  const sent: string[] = []
  sqs.client.middlewareStack.add(
    (next, context) => (args) => {
      sent.push(context['commandName'] ?? '?')
      return next(args)
    },
    { step: 'initialize' },
  )

  const { printed } = await runCommand(deps, 'redrive', 'callbacks', '--dry-run')

  expect(printed[0]).toMatch(/^shown +redrive DeadLettersSettlingCallbacks: about 1 messages; not looked into/)
  expect(sent).toEqual(['GetQueueAttributesCommand'])
})

it('dead callbacks go back to be settled', async () => {
  await die('callbacks', { v: 1 })

  const { code } = await runCommand(deps, 'redrive', 'callbacks')

  expect(code).toBe(0)
  expect([visible('callbacks'), visible('callbacks-dead')]).toEqual([1, 0])
})

it('a second redrive finds nothing and is no failure', async () => {
  await die('lane', MESSAGE)
  await runCommand(deps, 'redrive', 'lane-dead')

  expect(await runCommand(deps, 'redrive', 'lane-dead')).toEqual({
    code: 0,
    printed: [expect.stringContaining('0 messages sent back'), '1 in all: 1 skipped.'],
  })
})

it('a queue that does not exist is said, with those that do', async () => {
  await expect(runCommand(deps, 'redrive', 'nothing')).rejects.toThrow(
    "There are no dead letters of 'nothing'; there are bank-x, merchant, internal, callbacks, DeadLettersDispatchLostTriggers",
  )
})

it('a queue that does not answer ends with 1', async () => {
  const outputs = { ...deps.outputs, DeadLettersTasksLanebankx: sqs.urlOf('gone') }

  const { code, printed } = await runCommand({ ...deps, outputs }, 'redrive', 'bank-x')

  expect(code).toBe(1)
  expect(printed[0]).toMatch(/^failed +redrive the command: /)
})
