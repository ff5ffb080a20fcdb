import { Construct } from 'constructs'
import { BackstopFunction } from './backstop-function.ts'
import { consumeQueue } from './backstop-queue.ts'
import type { StageConfig } from './config-schema.ts'
import { accountsJson, gatesJson, policiesJson } from './function-settings.ts'
import type { Gate } from './gate.ts'
import type { Ledger } from './ledger.ts'
import type { Parameters } from './parameters.ts'
import type { RawBucket } from './raw-bucket.ts'
import type { Secrets } from './secrets.ts'
import type { TaskLanes } from './task-lanes.ts'

export interface WorkProps {
  readonly config: StageConfig
  readonly parameters: Parameters
  readonly ledger: Ledger
  readonly gate: Gate
  readonly rawBucket: RawBucket
  readonly secrets: Secrets
  readonly lanes: TaskLanes
}

/** Carries out tasks: the one place that calls a channel or the merchant. One function, fed by every lane. */
export class Work extends Construct {
  constructor(scope: Construct, id: string, props: WorkProps) {
    super(scope, id)
    const { config, parameters, ledger, gate, rawBucket, secrets, lanes } = props
    const { function: fn } = new BackstopFunction(this, 'Work', {
      folder: 'work',
      timeoutSeconds: config.work.timeoutSeconds,
      memoryMb: 512,
      logRetentionDays: config.logRetentionDays,
      tracing: config.tracing,
      isPartOfTaskCircle: true,
      environment: {
        LEDGER_TABLE: ledger.table.tableName,
        GATE_TABLE: gate.table.tableName,
        GATES: gatesJson(config),
        RAW_BUCKET: rawBucket.bucket.bucketName,
        CHANNELS: accountsJson(config),
        CHANNEL_SECRETS: secrets.channelArnsJson,
        CHANNEL_ENDPOINTS: parameters.channelEndpoints.valueAsString,
        MERCHANT_SECRET: secrets.merchantArn,
        DELIVERY_URL: parameters.deliveryUrl.valueAsString,
        DELIVERY_INTERFACES: parameters.deliveryInterfaces.valueAsString,
        PRIVATE_ORIGINS: parameters.privateOrigins.valueAsString,
        POLICIES: policiesJson(config),
        NOTICES: parameters.notices.valueAsString,
      },
    })
    ledger.grantItems(fn, 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem')
    ledger.grantDeleteInTransaction(fn)
    gate.grantTake(fn)
    rawBucket.grantGet(fn)
    secrets.grantReadChannels(fn)
    secrets.grantReadMerchant(fn)
    for (const { queue, maxConcurrency } of lanes.lanes) consumeQueue(fn, queue, maxConcurrency)
  }
}
