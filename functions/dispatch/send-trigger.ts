import { CreateScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler'
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { Instant } from '../../modules/core/instant.ts'
import { type TaskMessage, writeTaskMessage } from '../../modules/queues/task-message.ts'
import { errorFields, log } from '../../modules/runtime/telemetry/log.ts'
import { delayOf, LONGEST_DELAY_S, planTrigger, type Trigger } from './plan-trigger.ts'
import type { Wake } from './read-wake.ts'
import type { TargetHealth } from './target-health.ts'

/** What dispatch sends with, and where. */
export interface DispatchDeps {
  readonly sqs: SQSClient
  readonly scheduler: SchedulerClient
  /** By lane. */
  readonly queueUrls: Readonly<Record<string, string>>
  readonly queueArns: Readonly<Record<string, string>>
  readonly scheduleGroup: string
  readonly scheduleRoleArn: string
  readonly scheduleDlqArn: string
  readonly now: () => Instant
  readonly health: TargetHealth
}

/** The schedule's own retries: an hour, then its dead-letter queue; the sweep finds the row in any case. */
const SCHEDULE_RETRY = { MaximumEventAgeInSeconds: 3600, MaximumRetryAttempts: 10 }

/** A lane of an earlier configuration: its tasks must not be lost, a person puts the lane back or moves them. */
export class UnknownLaneError extends Error {
  override readonly name = 'UnknownLaneError'
  readonly code = 'UNKNOWN_LANE'

  constructor(lane: string) {
    super(`No queue is configured for lane '${lane}'. Put its channel back into the configuration and deploy.`)
  }
}

/**
 * Sends the one trigger of a wake-up. Sending it twice is harmless: the row decides. A schedule that cannot be made becomes an SQS
 * delay where the wake-up is near enough for one.
 * @throws UnknownLaneError, TargetPassedOverError or the SDK's error: the row is due in the index, and no other trigger waits
 */
export async function sendTrigger(deps: DispatchDeps, wake: Wake): Promise<void> {
  const queueUrl = deps.queueUrls[wake.lane]
  const queueArn = deps.queueArns[wake.lane]
  if (queueUrl === undefined || queueArn === undefined) throw new UnknownLaneError(wake.lane)
  const trigger = planTrigger(wake.taskNo, wake.wake, deps.now())
  if (trigger.kind === 'message') return sendMessage(deps, wake, queueUrl, trigger.delaySeconds)
  try {
    await deps.health.through('scheduler', () => createSchedule(deps, wake, queueArn, trigger))
  } catch (error) {
    const delaySeconds = delayOf(wake.wake, deps.now())
    if (delaySeconds > LONGEST_DELAY_S) throw error
    log('WARN', 'A schedule could not be made; an SQS delay takes its place.', errorFields(error))
    await sendMessage(deps, wake, queueUrl, delaySeconds)
  }
}

async function sendMessage(deps: DispatchDeps, wake: Wake, queueUrl: string, delaySeconds: number): Promise<void> {
  const body = messageOf(wake, 'stream')
  const command = new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body, DelaySeconds: delaySeconds })
  await deps.health.through(wake.lane, () => deps.sqs.send(command))
}

const messageOf = ({ pk, taskNo, wake, lane }: Wake, cause: TaskMessage['cause']): string =>
  writeTaskMessage({ v: 1, pk, taskNo, wake, lane, cause })

async function createSchedule(
  { scheduler, scheduleGroup, scheduleRoleArn, scheduleDlqArn }: DispatchDeps,
  wake: Wake,
  queueArn: string,
  { name, expression }: Extract<Trigger, { kind: 'schedule' }>,
): Promise<void> {
  await scheduler
    .send(
      new CreateScheduleCommand({
        Name: name,
        GroupName: scheduleGroup,
        ScheduleExpression: expression,
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        Target: {
          Arn: queueArn,
          RoleArn: scheduleRoleArn,
          Input: messageOf(wake, 'schedule'),
          RetryPolicy: SCHEDULE_RETRY,
          DeadLetterConfig: { Arn: scheduleDlqArn },
        },
      }),
    )
    .catch(ignoreExisting)
}

/** The same wake-up was planned before: its schedule is there. */
function ignoreExisting(error: unknown): void {
  if (!(error instanceof Error && error.name === 'ConflictException')) throw error
}
