import { EventBus } from 'aws-cdk-lib/aws-events'
import { FilterRule } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import type { Alarms } from './alarms.ts'
import { BackstopFunction } from './backstop-function.ts'
import type { StageConfig } from './config-schema.ts'
import { grant } from './grant.ts'
import type { Ledger } from './ledger.ts'
import { LedgerReader } from './ledger-reader.ts'

export interface PublishProps {
  readonly config: StageConfig
  readonly alarms: Alarms
  readonly ledger: Ledger
}

/** Tells the bus of every change of an order. Apart from dispatch, so that neither holds up the other. */
export class Publish extends Construct {
  readonly bus: EventBus

  constructor(scope: Construct, id: string, { config, alarms, ledger }: PublishProps) {
    super(scope, id)
    this.bus = new EventBus(this, 'Bus', { description: 'Changes of orders, one event per change of a status' })
    const { function: fn } = new BackstopFunction(this, 'Publish', {
      folder: 'publish',
      timeoutSeconds: 30,
      memoryMb: 256,
      logRetentionDays: config.logRetentionDays,
      tracing: config.tracing,
      environment: { BUS_NAME: this.bus.eventBusName, LEDGER_TABLE: ledger.table.tableName },
    })
    grant(fn, this.bus.eventBusArn, 'events:PutEvents')
    ledger.grantItems(fn, 'UpdateItem')
    const journal = { S: FilterRule.isEqual('JOURNAL') }
    new LedgerReader(this, 'Reader', {
      settings: config.streams,
      alarms,
      ledger,
      reader: fn,
      filters: [
        { eventName: FilterRule.isEqual('INSERT'), dynamodb: { NewImage: { et: journal } } },
        // What the sweep asks for again; a mark that is written or taken off has no wake and calls nobody.
        {
          eventName: FilterRule.isEqual('MODIFY'),
          dynamodb: { NewImage: { et: journal, wake: { S: FilterRule.exists() } } },
        },
      ],
      impact: "Subscribers of the bus miss changes of orders or learn of them late; the ledger's journal has them all.",
    })
  }
}
