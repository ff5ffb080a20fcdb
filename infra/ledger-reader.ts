import { Duration, Validations } from 'aws-cdk-lib'
import { TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { EventSourceMapping, FilterCriteria, type IFunction, StartingPosition } from 'aws-cdk-lib/aws-lambda'
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources'
import { Construct } from 'constructs'
import type { Alarms } from './alarms.ts'
import type { StageConfig } from './config-schema.ts'
import { DeadLetterQueue } from './dead-letter-queue.ts'
import type { Ledger } from './ledger.ts'

const BATCH_SIZE = 100
/** Triggers and events later than this are felt by customers before the sweep helps. */
const LATE_MINUTES = 5

export interface LedgerReaderProps {
  readonly settings: StageConfig['streams']
  readonly alarms: Alarms
  readonly ledger: Ledger
  readonly reader: IFunction
  /** Which changes the function is called for, by one of them; the others cost nothing. */
  readonly filters: readonly Record<string, unknown>[]
  /** What is lost while the reader fails or lags: the text of both alarms. */
  readonly impact: string
}

/**
 * Has a function read the ledger's stream. A record that fails is cut out of its batch, tried a bounded number of times and
 * then named in a queue, so that it never holds up the changes behind it. A stream takes two readers at most: dispatch and
 * publish are these two.
 */
export class LedgerReader extends Construct {
  constructor(scope: Construct, id: string, props: LedgerReaderProps) {
    super(scope, id)
    const { settings, alarms, ledger, reader, filters, impact } = props
    const failures = new DeadLetterQueue(this, 'Failures', { alarms, impact })
    ledger.grantStream(reader)
    new EventSourceMapping(this, 'Mapping', {
      target: reader,
      eventSourceArn: ledger.streamArn,
      // Not the latest: a change made while the mapping is being created must not be missed.
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: BATCH_SIZE,
      parallelizationFactor: settings.parallelization,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      retryAttempts: settings.retryAttempts,
      maxRecordAge: Duration.hours(settings.maxRecordAgeHours),
      onFailure: new SqsDlq(failures.queue),
      filters: filters.map((filter) => FilterCriteria.filter(filter)),
    })
    Validations.of(reader).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason:
        'The stream is read for it, and its mapping names what failed in a queue: nothing is handed to it unwaited.',
    })
    alarms.raise(this, 'Late', {
      metric: reader.metric('IteratorAge', { period: Duration.minutes(1), statistic: 'Maximum' }),
      impact,
      threshold: LATE_MINUTES * 60_000,
      evaluationPeriods: LATE_MINUTES,
      missing: TreatMissingData.NOT_BREACHING,
    })
  }
}
