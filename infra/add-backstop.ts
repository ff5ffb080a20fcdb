import { Stack } from 'aws-cdk-lib'
import type { EventBus } from 'aws-cdk-lib/aws-events'
import type { Construct } from 'constructs'
import { Alarms } from './alarms.ts'
import { Certificates, hasCertificates } from './certificates.ts'
import type { StageConfig } from './config-schema.ts'
import { Dashboard } from './dashboard.ts'
import { Dispatch } from './dispatch.ts'
import { ConfigError } from './errors.ts'
import { Gate } from './gate.ts'
import { HealthAlarms } from './health-alarms.ts'
import { BackstopApi } from './http-api.ts'
import { Identity } from './identity.ts'
import { Ingress } from './ingress.ts'
import { Ledger } from './ledger.ts'
import { LogQueries } from './log-queries.ts'
import { MachineAlarms } from './machine-alarms.ts'
import { Orders } from './orders.ts'
import { addOutput } from './output.ts'
import { addParameters } from './parameters.ts'
import { Publish } from './publish.ts'
import { addQueueOutputs } from './queue-outputs.ts'
import { RawBucket } from './raw-bucket.ts'
import { reserveConcurrency } from './reserve-concurrency.ts'
import { Secrets } from './secrets.ts'
import { Settle } from './settle.ts'
import { Sweep } from './sweep.ts'
import { TaskLanes } from './task-lanes.ts'
import { Work } from './work.ts'

/** What whoever builds around Backstop may hold on to. */
export interface Parts {
  readonly bus: EventBus
  readonly alarms: Alarms
  readonly apiUrl: string
}

/**
 * Adds all of Backstop to `scope`, a stack or a construct in one.
 * @throws ConfigError when the stack has a Backstop already: outputs and parameters of the two would have the same names
 */
export function addBackstop(scope: Construct, config: StageConfig): Parts {
  const stack = Stack.of(scope)
  if (stack.node.findAll().some((one) => one instanceof Ledger)) {
    throw new ConfigError('A stack has one Backstop; give each stage a stack of its own.')
  }
  const parameters = addParameters(scope, config)
  const alarms = new Alarms(scope, 'Alarms', parameters.alarmEmail)
  const ledger = new Ledger(scope, 'Ledger', config)
  const gate = new Gate(scope, 'Gate', config)
  const rawBucket = new RawBucket(scope, 'Raw')
  const secrets = new Secrets(scope, 'Secrets', config.channels)
  const api = new BackstopApi(scope, 'Api', { config, alarms })
  const identity = new Identity(scope, 'Identity', config)
  const lanes = new TaskLanes(scope, 'Tasks', { config, alarms })

  const { callbackQueue } = new Settle(scope, 'Settling', { config, alarms, parameters, ledger, rawBucket, secrets })
  new Ingress(scope, 'Ingress', { config, api, parameters, secrets, callbackQueue })
  new Orders(scope, 'Orders', { config, api, identity, ledger, parameters, secrets })
  new Dispatch(scope, 'Dispatch', { config, alarms, ledger, lanes })
  const { bus } = new Publish(scope, 'Publish', { config, alarms, ledger })
  new Work(scope, 'Work', { config, parameters, ledger, gate, rawBucket, secrets, lanes })
  new Sweep(scope, 'Sweep', { config, alarms, ledger, gate })
  if (hasCertificates(config)) new Certificates(scope, 'Certificates', { config, alarms, parameters, secrets })
  new HealthAlarms(scope, 'Health', { config, alarms, api })
  reserveConcurrency(scope, config)
  // After everything that they watch and show.
  new MachineAlarms(scope, 'Machine', { alarms, ledger, gate })
  new Dashboard(scope, 'Dashboard', { config, api })
  new LogQueries(scope, 'LogQueries', api)

  addOutputs(scope, {
    Stage: config.stage,
    Region: stack.region,
    ApiUrl: api.url,
    LedgerTable: ledger.table.tableName,
    GateTable: gate.table.tableName,
    ChannelSecrets: secrets.channelArnsJson,
    MerchantSecret: secrets.merchantArn,
    EventBus: bus.eventBusName,
    AlarmTopic: alarms.topic.topicArn,
  })
  addQueueOutputs(scope)
  return { bus, alarms, apiUrl: api.url }
}

function addOutputs(scope: Construct, outputs: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(outputs)) addOutput(scope, name, value)
}
