import { Duration, Validations } from 'aws-cdk-lib'
import { ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import { Construct } from 'constructs'
import type { Alarms } from './alarms.ts'
import { BackstopFunction } from './backstop-function.ts'
import type { StageConfig } from './config-schema.ts'
import { policiesJson } from './function-settings.ts'
import type { Gate } from './gate.ts'
import { gatedLanesOf } from './lanes.ts'
import type { Ledger } from './ledger.ts'

const EVERY = Duration.minutes(1)
/** Five sweeps without one success: rows whose trigger was lost are late by more than customers forgive. */
const SILENT_MINUTES = 5

export interface SweepProps {
  readonly config: StageConfig
  readonly alarms: Alarms
  readonly ledger: Ledger
  readonly gate: Gate
}

/** Finds, each minute, the rows that are due and whose trigger never came. */
export class Sweep extends Construct {
  constructor(scope: Construct, id: string, { config, alarms, ledger, gate }: SweepProps) {
    super(scope, id)
    const { function: fn } = new BackstopFunction(this, 'Sweep', {
      folder: 'sweep',
      timeoutSeconds: 55,
      memoryMb: 256,
      logRetentionDays: config.logRetentionDays,
      tracing: config.tracing,
      environment: {
        LEDGER_TABLE: ledger.table.tableName,
        POLICIES: policiesJson(config),
        GATE_TABLE: gate.table.tableName,
        GATED_LANES: JSON.stringify(gatedLanesOf(config)),
      },
    })
    ledger.grantQueryDue(fn)
    ledger.grantItems(fn, 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem')
    gate.grantLook(fn)
    // A failed sweep is not repeated: the next one finds the same rows within the minute.
    fn.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: EVERY })
    const eachMinute = new Rule(this, 'EachMinute', {
      description: 'Backstop sweep',
      schedule: Schedule.rate(EVERY),
      targets: [new LambdaFunction(fn, { retryAttempts: 0, maxEventAge: EVERY })],
    })
    const reason = 'A lost tick is made good by the next one within the minute, and silence has an alarm of its own.'
    Validations.of(fn).acknowledge(
      { id: 'Serverless-LambdaDLQ', reason },
      { id: 'Serverless-LambdaAsyncFailureDestination', reason },
    )
    Validations.of(eachMinute).acknowledge({ id: 'Serverless-EventBusDLQ', reason })
    alarms.raise(this, 'Silent', {
      // Sent after a round that saw every shard of the index: a round that ran and saw half of it is no sign of life.
      metric: new Metric({ namespace: 'Backstop', metricName: 'SweepHeartbeat', statistic: 'Sum', period: EVERY }),
      impact:
        'The sweep does not run, or not over all rows: tasks whose trigger was lost stay where they are, and nothing else will find them.',
      threshold: 1,
      comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: SILENT_MINUTES,
      missing: TreatMissingData.BREACHING,
    })
  }
}
