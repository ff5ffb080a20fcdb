import { CreateScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler'
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda'

const scheduler = new SchedulerClient({})

/** Plans `<pk>-later` for an hour after each item that is not one itself; fails for the item `stuck`. */
export async function handler(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  for (const record of event.Records) {
    const pk = record.dynamodb?.NewImage?.['pk']?.S ?? ''
    console.log(JSON.stringify({ followed: pk }))
    if (pk === 'stuck') return { batchItemFailures: [{ itemIdentifier: record.dynamodb?.SequenceNumber ?? '' }] }
    if (pk.endsWith('-later')) continue
    const dueAt = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)
    await scheduler.send(
      new CreateScheduleCommand({
        Name: `s.${pk}`,
        GroupName: process.env['GROUP'],
        ScheduleExpression: `at(${dueAt})`,
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        Target: {
          Arn: process.env['QUEUE_ARN'],
          RoleArn: 'arn:aws:iam::000000000000:role/local',
          Input: `${pk}-later`,
        },
      }),
    )
  }
  return { batchItemFailures: [] }
}
