// The least that an ack can be: one SQS client, opened as ingress opens its own, and nothing done with it.
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'

const sqs = new SQSClient({
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 500, requestTimeout: 1200, throwOnRequestTimeout: true },
})

export async function handler(event: { readonly queueUrl: string; readonly body: string }): Promise<void> {
  await sqs.send(new SendMessageCommand({ QueueUrl: event.queueUrl, MessageBody: event.body }))
}
