import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'

const sqs = new SQSClient({})

/** Takes a request and sends its body to the queue. */
export async function handler(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  if (event.rawPath === '/echo') return { statusCode: 200, body: JSON.stringify(event) }
  if (event.rawPath === '/fail') throw new Error('told to fail')
  const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8').toString()
  await sqs.send(new SendMessageCommand({ QueueUrl: process.env['QUEUE_URL'], MessageBody: body }))
  return { statusCode: 202, body: 'taken' }
}
