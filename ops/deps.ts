import { userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { lanesOf } from '../infra/lanes.ts'
import { type Instant, instantOf } from '../modules/core/instant.ts'
import { bindPolicies, type Policies } from '../modules/core/task-policies.ts'
import { type Gate, openGate } from '../modules/gate/open-gate.ts'
import type { Ledger } from '../modules/ledger/table/client.ts'
import { type CallStreams, openStreams } from './call-streams.ts'
import { type Target, TargetError } from './doctor/target.ts'

/** What the commands work with. */
export interface OpsDeps {
  readonly ledger: Ledger
  readonly gate: Gate
  /** The streams of the tables, for what a reader of them gave up. */
  readonly streams: CallStreams
  readonly sqs: SQSClient
  /** CloudFormation outputs by key; queues are found in them. */
  readonly outputs: Readonly<Record<string, string>>
  readonly policies: Policies
  /** Lanes of the configuration that the stack has a queue for. */
  readonly lanes: readonly string[]
  readonly now: () => Instant
  readonly sleep: (ms: number) => Promise<unknown>
  /** The user of the operating system, kept with each change. */
  readonly by: string
}

/** @throws TargetError when the stack is of a release without these outputs */
export function openDeps({ config, outputs, dynamodb, sqs }: Target): OpsDeps {
  const { LedgerTable: ledgerTable, GateTable: gateTable } = outputs
  if (ledgerTable === undefined || gateTable === undefined) {
    throw new TargetError('The outputs name no ledger or no gate table. Deploy this release, then read them again.')
  }
  const client = DynamoDBDocumentClient.from(dynamodb, { marshallOptions: { removeUndefinedValues: true } })
  return {
    ledger: { client, table: ledgerTable },
    gate: openGate(gateTable, { client: dynamodb, overrides: config.gates }),
    streams: openStreams(dynamodb),
    sqs,
    outputs,
    policies: bindPolicies(config.policies),
    lanes: lanesOf(config)
      .map(({ name }) => name)
      .filter((lane) => outputs[`QueueTasksLane${outputNameOf(lane)}`] !== undefined),
    now: () => instantOf(Date.now()),
    sleep,
    by: osUser(),
  }
}

/** As a name stands in an output's key, where only letters and digits may. */
export const outputNameOf = (name: string): string => name.replaceAll(/[^0-9A-Za-z]/g, '')

/** In a container the user may have a number and no name. */
function osUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
