import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { type Finding, fault, findSafely, ok } from './finding.ts'
import type { Target } from './target.ts'

/** Each queue answers, and nothing lies where messages end. */
export async function checkQueues({ outputs, sqs }: Target): Promise<Finding[]> {
  const named = Object.entries(outputs).filter(([name]) => /^(Queue|DeadLetters)[A-Z]/.test(name))
  if (named.length === 0)
    return [fault('queues', 'are not in the outputs', 'deploy this release, then read the outputs again')]
  return Promise.all(
    named.map(([name, url]) => findSafely(name, 'is it there, and may you read it?', () => checkQueue(sqs, name, url))),
  )
}

async function checkQueue(sqs: SQSClient, name: string, url: string): Promise<Finding> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: url,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  )
  const waiting = Number(Attributes['ApproximateNumberOfMessages'] ?? 0)
  const taken = Number(Attributes['ApproximateNumberOfMessagesNotVisible'] ?? 0)
  const seen = `${waiting} waiting, ${taken} in hand`
  return name.startsWith('DeadLetters') && waiting + taken > 0
    ? fault(name, seen, 'docs/runbook.md, "Dead letters, today"')
    : ok(name, seen)
}
