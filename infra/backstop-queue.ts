import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { VISIBILITY_FACTOR } from './check-config.ts'
import type { StageConfig } from './config-schema.ts'
import { DeadLetterQueue, type DeadLetterQueueProps } from './dead-letter-queue.ts'

export const BATCH_SIZE = 10

export interface BackstopQueueProps {
  readonly settings: StageConfig['queues']
  /** Time-out of the one function that reads the queue; the visibility follows from it. */
  readonly consumerTimeoutSeconds: number
  readonly deadLetters: DeadLetterQueueProps
  /** For messages that were acknowledged to somebody: the queue stays when the stack goes, and so do its dead letters. */
  readonly isKept?: true
}

/** A queue that cannot be had without its dead-letter queue, the alarm on it, and the sentence that says what it means. */
export class BackstopQueue extends Construct {
  readonly queue: Queue
  readonly deadLetters: DeadLetterQueue

  constructor(
    scope: Construct,
    id: string,
    { settings, consumerTimeoutSeconds, deadLetters, isKept }: BackstopQueueProps,
  ) {
    super(scope, id)
    this.deadLetters = new DeadLetterQueue(this, 'DeadLetters', deadLetters)
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.hours(settings.retentionHours),
      visibilityTimeout: Duration.seconds(VISIBILITY_FACTOR * consumerTimeoutSeconds),
      deadLetterQueue: { queue: this.deadLetters.queue, maxReceiveCount: settings.maxReceiveCount },
    })
    if (isKept === undefined) return
    for (const queue of [this.queue, this.deadLetters.queue]) {
      queue.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
    }
  }
}

/** Has `fn` read the queue in batches without waiting for them to fill; a failed message alone comes again. */
export function consumeQueue(fn: IFunction, queue: IQueue, maxConcurrency: number): void {
  fn.addEventSource(new SqsEventSource(queue, { batchSize: BATCH_SIZE, maxConcurrency, reportBatchItemFailures: true }))
  Validations.of(fn).acknowledge(
    {
      id: 'Serverless-LambdaDLQ',
      reason: 'Its queue is read for it and keeps what failed: nothing is handed to it unwaited.',
    },
    {
      id: 'Serverless-LambdaEventSourceMappingDestination',
      reason:
        "Lambda takes no destination for a queue: what fails again and again goes to the queue's own dead letters.",
    },
  )
}
