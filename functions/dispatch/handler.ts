// Trigger: the ledger's stream, filtered to TASK rows that have a `wake`.
// Reads: nothing. Writes: nothing in the table; sends one trigger per wake-up, an SQS message now or a one-time schedule for later.
// On failure: a target that does not take its trigger is counted (an alarm rings) and passed over: the row is due in the index 150 s
// later, and the triggers of other targets wait behind no record of it.
import { SchedulerClient } from '@aws-sdk/client-scheduler'
import { SQSClient } from '@aws-sdk/client-sqs'
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import { instantOf } from '../../modules/core/instant.ts'
import { eachChange } from '../../modules/runtime/frame/each-record.ts'
import { openFrame } from '../../modules/runtime/frame/open-frame.ts'
import { readSettings } from '../../modules/runtime/settings.ts'
import { addLogFields, errorFields, log } from '../../modules/runtime/telemetry/log.ts'
import { emitMetric } from '../../modules/runtime/telemetry/metrics.ts'
import { readWake } from './read-wake.ts'
import { type DispatchDeps, sendTrigger } from './send-trigger.ts'
import { dispatchSettings } from './settings.ts'
import { openTargetHealth } from './target-health.ts'

const settings = readSettings(dispatchSettings)
/** Both tries of a schedule and both of the message in its place end within the time that a record needs. */
const limits = { connectionTimeout: 500, requestTimeout: 2000, throwOnRequestTimeout: true }
const deps: DispatchDeps = {
  sqs: new SQSClient({ maxAttempts: 2, requestHandler: limits }),
  scheduler: new SchedulerClient({ maxAttempts: 2, requestHandler: limits }),
  queueUrls: settings.LANE_QUEUES,
  queueArns: settings.LANE_QUEUE_ARNS,
  scheduleGroup: settings.SCHEDULE_GROUP,
  scheduleRoleArn: settings.SCHEDULE_ROLE_ARN,
  scheduleDlqArn: settings.SCHEDULE_DLQ_ARN,
  now: () => instantOf(Date.now()),
  health: openTargetHealth(Date.now),
}

/** As many at a time as the SDK opens connections; the tries of one trigger end within this. */
const LIMITS = { concurrency: 50, needsMs: 11_000 }

export const handler = openFrame<DynamoDBStreamEvent, DynamoDBBatchResponse>().handler(eachChange(LIMITS, dispatchOne))

async function dispatchOne(record: DynamoDBRecord): Promise<void> {
  const wake = readWake(record)
  if (wake === undefined) return
  addLogFields({ taskNo: wake.taskNo, orderNo: wake.orderNo, lane: wake.lane })
  try {
    await sendTrigger(deps, wake)
  } catch (error) {
    // No record comes again: those of healthy targets would wait behind it; the sweep names the row again.
    emitMetric('DispatchFailed')
    log('ERROR', 'A task got no trigger; the sweep finds its row.', errorFields(error))
  }
}
