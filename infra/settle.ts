import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import type { Alarms } from './alarms.ts'
import { BackstopFunction } from './backstop-function.ts'
import { BackstopQueue, consumeQueue } from './backstop-queue.ts'
import type { StageConfig } from './config-schema.ts'
import { accountsJson, policiesJson } from './function-settings.ts'
import type { Ledger } from './ledger.ts'
import type { Parameters } from './parameters.ts'
import type { RawBucket } from './raw-bucket.ts'
import type { Secrets } from './secrets.ts'

const SETTLE_TIMEOUT_SECONDS = 60
const SALVAGE_TIMEOUT_SECONDS = 60
/** Fewest that SQS allows: what reaches the dead letters is little, or something is badly broken. */
const SALVAGE_CONCURRENCY = 2

export interface SettleProps {
  readonly config: StageConfig
  readonly alarms: Alarms
  readonly parameters: Parameters
  readonly ledger: Ledger
  readonly rawBucket: RawBucket
  readonly secrets: Secrets
}

/**
 * The way of a callback from its queue into the ledger. What settle cannot handle, salvage writes down before it leaves
 * the dead-letter queue, so that a callback that was acknowledged is never lost.
 */
export class Settle extends Construct {
  readonly callbackQueue: IQueue

  constructor(scope: Construct, id: string, props: SettleProps) {
    super(scope, id)
    const { config, alarms } = props
    const callbacks = new BackstopQueue(this, 'Callbacks', {
      settings: config.queues,
      isKept: true,
      consumerTimeoutSeconds: SETTLE_TIMEOUT_SECONDS,
      deadLetters: {
        alarms,
        consumerTimeoutSeconds: SALVAGE_TIMEOUT_SECONDS,
        impact:
          'An acknowledged callback could not be settled: an order may wait for money that was paid. Salvage writes it to ' +
          'the ledger or the bucket before it is deleted; find out why settle failed.',
      },
    })
    this.callbackQueue = callbacks.queue
    this.#addSettle(props, callbacks)
    this.#addSalvage(props, callbacks)
  }

  #addSettle({ config, parameters, ledger, rawBucket, secrets }: SettleProps, callbacks: BackstopQueue): void {
    const { function: fn } = new BackstopFunction(this, 'Settle', {
      folder: 'settle',
      timeoutSeconds: SETTLE_TIMEOUT_SECONDS,
      memoryMb: 512,
      logRetentionDays: config.logRetentionDays,
      tracing: config.tracing,
      environment: {
        LEDGER_TABLE: ledger.table.tableName,
        RAW_BUCKET: rawBucket.bucket.bucketName,
        CHANNELS: accountsJson(config),
        CHANNEL_SECRETS: secrets.channelArnsJson,
        POLICIES: policiesJson(config),
        NOTICES: parameters.notices.valueAsString,
      },
    })
    ledger.grantItems(fn, 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem')
    ledger.grantDeleteInTransaction(fn)
    rawBucket.grantPut(fn)
    secrets.grantReadChannels(fn)
    consumeQueue(fn, callbacks.queue, config.settle.maxConcurrency)
  }

  #addSalvage({ config, ledger, rawBucket }: SettleProps, callbacks: BackstopQueue): void {
    const { function: fn } = new BackstopFunction(this, 'Salvage', {
      folder: 'salvage',
      timeoutSeconds: SALVAGE_TIMEOUT_SECONDS,
      memoryMb: 256,
      logRetentionDays: config.logRetentionDays,
      tracing: config.tracing,
      environment: {
        LEDGER_TABLE: ledger.table.tableName,
        RAW_BUCKET: rawBucket.bucket.bucketName,
        POLICIES: policiesJson(config),
      },
    })
    ledger.grantItems(fn, 'PutItem', 'UpdateItem')
    rawBucket.grantPut(fn)
    consumeQueue(fn, callbacks.deadLetters.queue, SALVAGE_CONCURRENCY)
  }
}
