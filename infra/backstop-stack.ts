import { CfnOutput, Stack } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { Alarms } from './alarms.ts'
import { Certificates, hasCertificates } from './certificates.ts'
import type { Stage } from './config.ts'
import type { StageConfig } from './config-schema.ts'
import { Dashboard } from './dashboard.ts'
import { Dispatch } from './dispatch.ts'
import { Gate } from './gate.ts'
import { HealthAlarms } from './health-alarms.ts'
import { BackstopApi } from './http-api.ts'
import { Identity } from './identity.ts'
import { Ingress } from './ingress.ts'
import { Ledger } from './ledger.ts'
import { LogQueries } from './log-queries.ts'
import { Orders } from './orders.ts'
import { addParameters } from './parameters.ts'
import { Publish } from './publish.ts'
import { addQueueOutputs } from './queue-outputs.ts'
import { RawBucket } from './raw-bucket.ts'
import { Secrets } from './secrets.ts'
import { Settle } from './settle.ts'
import { Sweep } from './sweep.ts'
import { TaskLanes } from './task-lanes.ts'
import { Work } from './work.ts'

export interface BackstopStackProps {
  readonly stage: Stage
  readonly config: StageConfig
}

/** All of Backstop, for any account and Region. What it keeps (tables, bucket, secrets, users) outlives it. */
export class BackstopStack extends Stack {
  constructor(scope: Construct, id: string, { stage, config }: BackstopStackProps) {
    super(scope, id, {
      description: "Backstop: the safety net under a merchant's payments",
      terminationProtection: stage === 'prod',
      analyticsReporting: false,
    })
    const parameters = addParameters(this, stage, config)
    const alarms = new Alarms(this, 'Alarms', parameters.alarmEmail)
    const ledger = new Ledger(this, 'Ledger')
    const gate = new Gate(this, 'Gate')
    const rawBucket = new RawBucket(this, 'Raw')
    const secrets = new Secrets(this, 'Secrets', config.channels)
    const api = new BackstopApi(this, 'Api', { config, alarms })
    const identity = new Identity(this, 'Identity', config.auth)
    const lanes = new TaskLanes(this, 'Tasks', { config, alarms })

    const { callbackQueue } = new Settle(this, 'Settling', { config, alarms, parameters, ledger, rawBucket, secrets })
    new Ingress(this, 'Ingress', { config, api, parameters, secrets, callbackQueue })
    new Orders(this, 'Orders', { config, api, identity, ledger, parameters, secrets })
    new Dispatch(this, 'Dispatch', { config, alarms, ledger, lanes })
    const { bus } = new Publish(this, 'Publish', { config, alarms, ledger })
    new Work(this, 'Work', { config, parameters, ledger, gate, rawBucket, secrets, lanes })
    new Sweep(this, 'Sweep', { config, alarms, ledger, gate })
    if (hasCertificates(config)) new Certificates(this, 'Certificates', { config, alarms, parameters, secrets })
    new HealthAlarms(this, 'Health', { config, alarms, api })
    // After everything that it shows.
    new Dashboard(this, 'Dashboard', { config, api })
    new LogQueries(this, 'LogQueries', api)

    new CfnOutput(this, 'ApiUrl', { value: api.api.apiEndpoint })
    new CfnOutput(this, 'LedgerTable', { value: ledger.table.tableName })
    new CfnOutput(this, 'GateTable', { value: gate.table.tableName })
    new CfnOutput(this, 'ChannelSecrets', { value: secrets.channelArnsJson })
    new CfnOutput(this, 'MerchantSecret', { value: secrets.merchantArn })
    new CfnOutput(this, 'EventBus', { value: bus.eventBusName })
    new CfnOutput(this, 'AlarmTopic', { value: alarms.topic.topicArn })
    addQueueOutputs(this)
  }
}
