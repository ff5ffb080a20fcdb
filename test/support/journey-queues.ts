import { createHash } from 'node:crypto'
import { DeleteScheduleCommand, ListSchedulesCommand, SchedulerClient } from '@aws-sdk/client-scheduler'
import { PurgeQueueCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { LocalStack } from '../../local/host/stack.ts'
import type { Notice } from './journey-notices.ts'

const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' }

/** The queue that a resource of the CDK app is, by its name. @param path `Tasks/Lane-merchant/Queue` */
export function queueName(stack: LocalStack, path: string): string {
  return stack.resolve(path).split('/').at(-1) ?? ''
}

/** Loses every trigger of a task: messages in its lane's queue and schedules for later. */
export async function loseTriggers(stack: LocalStack, lane: string, taskNo: string): Promise<void> {
  const options = { endpoint: stack.gatewayUrl, region: 'us-east-1', credentials: CREDENTIALS }
  const [sqs, scheduler] = [new SQSClient(options), new SchedulerClient(options)]
  await sqs.send(new PurgeQueueCommand({ QueueUrl: stack.resolve(`Tasks/Lane-${lane}/Queue`) }))
  const GroupName = stack.resolve('Dispatch/Schedules')
  const { Schedules = [] } = await scheduler.send(new ListSchedulesCommand({ GroupName, NamePrefix: `t.${taskNo}.` }))
  for (const { Name } of Schedules) await scheduler.send(new DeleteScheduleCommand({ GroupName, Name }))
  sqs.destroy()
  scheduler.destroy()
}

/** A message of the callback queue as ingress writes it. */
export function callbackMessage({ channel, headers, body }: Notice, nowMs: number): string {
  return JSON.stringify({
    v: 1,
    channel,
    receivedAt: new Date(nowMs).toISOString(),
    keyId: '0',
    headers,
    bodyBase64: Buffer.from(body).toString('base64'),
    bodySha256: createHash('sha256').update(body).digest('hex'),
  })
}

/** A trigger as dispatch writes it. */
export function taskMessage(orderNo: string, taskNo: string, lane: string, wake: string): string {
  return JSON.stringify({ v: 1, pk: `ORDER#${orderNo}`, taskNo, wake, lane, cause: 'stream' })
}
