import { SchedulerClient } from '@aws-sdk/client-scheduler'
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { marshall } from '@aws-sdk/util-dynamodb'
import type { AttributeValue } from 'aws-lambda'
import { mockClient } from 'aws-sdk-client-mock'
import { Webhook } from 'standardwebhooks'
import { afterAll, describe, expect, it } from 'vitest'
import { readWake } from '../../functions/dispatch/read-wake.ts'
import { sendTrigger } from '../../functions/dispatch/send-trigger.ts'
import { openTargetHealth } from '../../functions/dispatch/target-health.ts'
import { readRequest } from '../../functions/ingress/read-request.ts'
import { receiveCallback } from '../../functions/ingress/receive-callback.ts'
import { verifierOf } from '../../modules/channels/verifiers.ts'
import { msOf } from '../../modules/core/instant.ts'
import { readCallbackMessage } from '../../modules/queues/callback-message.ts'
import { readTaskMessage } from '../../modules/queues/task-message.ts'
import { sure } from '../support/core-builders.ts'
import { fileOf, paid, putPayingOrder, taskOf } from '../support/ledger-builders.ts'
import { aCallback, BANK_SECRET, bankAccount, SECRET } from '../support/world-bank.ts'
import { countCalls, playWithFault, type Story } from '../support/world-story.ts'

const verifier = verifierOf(bankAccount)
const verify = verifier.openKeys(BANK_SECRET)

const ingressStory: Story = {
  name: 'ingress: a payment notice',
  async arrange(world) {
    const orderNo = await putPayingOrder(world)
    const data = paid(orderNo)
    const body = JSON.stringify({ type: 'paid', data })
    const queue: string[] = []
    return {
      orderNo,
      payments: [data.txn],
      // A channel that hears no acknowledgement sends again: the story's act fails unless it was acknowledged.
      async act({ around, clock }) {
        const seconds = Math.floor(msOf(clock.now()) / 1000)
        const signature = new Webhook(SECRET).sign('msg_1', new Date(seconds * 1000), body)
        const headers = { 'Webhook-Id': 'msg_1', 'webhook-timestamp': String(seconds), 'webhook-signature': signature }
        const request = readRequest({ headers, body, isBase64Encoded: false })
        if (request === 'tooLarge') throw new Error('too large')
        const channel = {
          account: bankAccount,
          ack: verifier.ack,
          refusal: verifier.refusal,
          verify: (...args: Parameters<typeof verify>) => around('GetSecretValue', async () => verify(...args)),
          verifyAfresh: async () => undefined,
        }
        const send = (message: string) =>
          around('SendMessage', async () => {
            queue.push(message)
            return undefined
          })
        const answer = await receiveCallback(request, channel, send, clock.now())
        if (answer.status !== 200) throw new Error(`not acknowledged: ${answer.status}`)
      },
      async afterwards(healthy) {
        for (const message of queue) await healthy.take(readCallbackMessage(message).verified)
      },
    }
  },
}

const sqs = mockClient(SQSClient)
afterAll(() => sqs.restore())

const dispatchStory: Story = {
  name: 'dispatch: the wake-up of a delivery',
  async arrange(world) {
    const orderNo = await putPayingOrder(world)
    const data = paid(orderNo)
    await world.take(aCallback(data))
    const task = taskOf(await fileOf(world, orderNo), 'DELIVER')
    const NewImage = marshall(task, { removeUndefinedValues: true }) as Record<string, AttributeValue>
    const wake = sure(readWake({ eventName: 'INSERT', dynamodb: { NewImage } }))
    const queue: string[] = []
    return {
      orderNo,
      payments: [data.txn],
      async act({ around, clock }) {
        sqs.reset()
        sqs.on(SendMessageCommand).callsFake(async ({ MessageBody }) =>
          around('SendMessage', async () => {
            queue.push(String(MessageBody))
            return { MessageId: 'm' }
          }),
        )
        const urls = { [wake.lane]: 'https://queue' }
        await sendTrigger(
          {
            sqs: new SQSClient({ region: 'us-east-1', maxAttempts: 1 }),
            scheduler: new SchedulerClient({ region: 'us-east-1' }),
            queueUrls: urls,
            queueArns: urls,
            scheduleGroup: 'default',
            scheduleRoleArn: 'arn:role',
            scheduleDlqArn: 'arn:dlq',
            now: clock.now,
            health: openTargetHealth(Date.now),
          },
          wake,
        )
      },
      async afterwards(healthy) {
        for (const message of queue) await healthy.run(readTaskMessage(message))
      },
    }
  },
}

describe.each([ingressStory, dispatchStory])('$name', (story) => {
  it('a crash before or after any of its calls loses nothing and doubles nothing', async () => {
    const { calls } = await countCalls(story)
    const broken: string[] = []

    for (let n = 1; n <= calls.length; n++) {
      for (const fault of ['crash before', 'crash after', 'answer lost'] as const) {
        for (const line of await playWithFault(story, n, fault, 'lost'))
          broken.push(`${fault} ${n} ${calls[n - 1]}: ${line}`)
      }
    }

    expect(calls).toContain('SendMessage')
    expect(broken).toEqual([])
  })
})
