import { Duration, Validations } from 'aws-cdk-lib'
import { TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { ALARM_PERIOD, type Alarms } from './alarms.ts'
import { VISIBILITY_FACTOR } from './check-config.ts'

export interface DeadLetterQueueProps {
  readonly alarms: Alarms
  /** What a message in it means for the merchant: the text of its alarm. */
  readonly impact: string
  /** Set when a function empties the queue: then a message is also alarmed on when the function takes it. */
  readonly consumerTimeoutSeconds?: number
}

/** Where messages end that nothing could handle. It keeps them as long as SQS can, and one of them is enough for an alarm. */
export class DeadLetterQueue extends Construct {
  readonly queue: Queue

  constructor(scope: Construct, id: string, { alarms, impact, consumerTimeoutSeconds }: DeadLetterQueueProps) {
    super(scope, id)
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      ...(consumerTimeoutSeconds !== undefined && {
        visibilityTimeout: Duration.seconds(VISIBILITY_FACTOR * consumerTimeoutSeconds),
      }),
    })
    const reason =
      'Here dead letters end, of a queue, a stream or the scheduler: kept 14 days, with an alarm on the first one.'
    Validations.of(this.queue).acknowledge(
      { id: 'AwsSolutions-SQS3', reason },
      { id: 'Serverless-SQSRedrivePolicy', reason },
    )
    // A depth of which nothing is heard is the last depth: a message left lying must not clear its own alarm.
    alarms.raise(this, 'HasMessages', {
      metric: this.queue.metricApproximateNumberOfMessagesVisible({ period: ALARM_PERIOD, statistic: 'Maximum' }),
      impact,
      threshold: 1,
      missing: TreatMissingData.IGNORE,
    })
    if (consumerTimeoutSeconds === undefined) return
    // A consumer is quick enough to be missed by a depth that is looked at once a minute.
    alarms.raise(this, 'MessagesTaken', {
      metric: this.queue.metricNumberOfMessagesReceived({ period: ALARM_PERIOD, statistic: 'Sum' }),
      impact,
      threshold: 1,
      missing: TreatMissingData.NOT_BREACHING,
    })
  }
}
