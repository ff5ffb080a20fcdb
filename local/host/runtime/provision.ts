import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { ensureTable } from '../../engines/dynamodb/ensure-table.ts'
import { readSchedules } from '../template/read-schedules.ts'
import type { StackSpec } from '../template/read-stack.ts'
import type { ResolvedTemplate } from '../template/resolve-template.ts'
import type { Engines } from './open-engines.ts'

/** Makes what the template names and the engines do not have yet: tables, queues, buckets, buses, machines and schedules. */
export async function provisionEngines(
  template: ResolvedTemplate,
  spec: StackSpec,
  engines: Engines,
  region: string,
): Promise<void> {
  for (const bucket of template.ofType('AWS::S3::Bucket')) engines.s3.createBucket(bucket.ref)
  for (const bus of template.ofType('AWS::Events::EventBus')) engines.eventBridge.createBus(bus.ref)
  await Promise.all([
    ...spec.queues.map((queue) => engines.sqs.createQueue(queue.name, queue.attributes)),
    ...template.ofType('AWS::Scheduler::ScheduleGroup').map((group) => engines.scheduler.ensureGroup(group.ref)),
    ...spec.stateMachines.map(({ name, definition }) => engines.stepFunctions.putMachine(name, definition)),
    provisionTables(spec, engines, region),
  ])
  for (const { group, name, definition } of readSchedules(template)) {
    await engines.scheduler.putSchedule(group, name, definition)
  }
}

async function provisionTables(spec: StackSpec, engines: Engines, region: string): Promise<void> {
  const client = openTableClient(engines, region)
  try {
    await Promise.all(spec.tables.map((table) => ensureTable(client, table.name, table.properties)))
  } finally {
    client.destroy()
  }
}

/** A client of the local tables for the host's own use. */
export function openTableClient(engines: Engines, region: string): DynamoDBClient {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  return new DynamoDBClient({ endpoint: engines.dynamodb.endpoint, region, credentials })
}
