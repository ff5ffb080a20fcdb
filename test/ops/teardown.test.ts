import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startSqs } from '../local/engines/sqs/start-sqs.ts'
import { openTestLedger } from '../support/ledger.ts'
import { depsFor, putTaskRow, runCommand } from './setup.ts'

const { ledger } = await openTestLedger()
let sqs: Awaited<ReturnType<typeof startSqs>>
let deps: ReturnType<typeof depsFor>

beforeEach(async () => {
  sqs = await startSqs()
  for (const name of ['callbacks', 'callbacks-dead']) await sqs.engine.createQueue(name, {})
  deps = depsFor(ledger, 'bank', {
    sqs: sqs.client,
    outputs: {
      ApiUrl: 'https://pay.shop.com',
      QueueSettlingCallbacks: sqs.urlOf('callbacks'),
      DeadLettersSettlingCallbacks: sqs.urlOf('callbacks-dead'),
    },
  })
})
afterEach(() => sqs.stop())

const send = (queue: string, DelaySeconds = 0) =>
  sqs.client.send(new SendMessageCommand({ QueueUrl: sqs.urlOf(queue), MessageBody: 'x', DelaySeconds }))

it('a stack with nothing open may go: each queue and the ledger are shown empty', async () => {
  const { code, printed } = await runCommand(deps, 'teardown')

  expect(code).toBe(0)
  expect(printed).toEqual([
    'shown    teardown QueueSettlingCallbacks: 0 messages',
    'shown    teardown DeadLettersSettlingCallbacks: 0 messages',
    'shown    teardown ledger: 0 open rows',
    '3 in all: 3 shown.',
  ])
})

it('messages that wait, are in hand or delayed are counted, and stop a script', async () => {
  await send('callbacks')
  await send('callbacks')
  await send('callbacks', 60)
  await sqs.engine.receive('callbacks', { max: 1, waitMs: 0 })

  const { code, printed } = await runCommand(deps, 'teardown')

  expect(code).toBe(1)
  expect(printed[0]).toBe('refused  teardown QueueSettlingCallbacks: 3 messages')
})

it('open tasks are counted by kind and tickets apart, also those that are due in a day; ended ones are not', async () => {
  await putTaskRow(ledger, 'bank', { status: 'RETRY' })
  await putTaskRow(ledger, 'bank', { status: 'WAITING' })
  await putTaskRow(ledger, 'bank', { status: 'MANUAL' })
  await putTaskRow(ledger, 'bank', { status: 'SUCCESS', duePk: undefined, dueAt: undefined })

  const { code, printed } = await runCommand(deps, 'teardown')

  expect(code).toBe(1)
  expect(printed).toContain('refused  teardown tasks QUERY_PAYMENT: 2 open')
  expect(printed).toContain('refused  teardown tickets: 1 open')
})
