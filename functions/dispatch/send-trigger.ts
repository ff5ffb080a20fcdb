import { CreateScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler'
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { Instant } from '../../modules/core/instant.ts'
import { type TaskMessage, writeTaskMessage } from '../../modules/queues/task-message.ts'
import { planTrigger } from './plan-trigger.ts'
import type { Wake } from './read-wake.ts'

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

/** Sends the one trigger of a wake-up. Sending it twice is harmless: the row decides. @throws UnknownLaneError, or the SDK's error */
export async function sendTrigger(deps: DispatchDeps, { pk, taskNo, lane, wake }: Wake): Promise<void> {
  const queueUrl = deps.queueUrls[lane]
  const queueArn = deps.queueArns[lane]
  if (queueUrl === undefined || queueArn === undefined) throw new UnknownLaneError(lane)
  const trigger = planTrigger(taskNo, wake, deps.now())
  const message = (cause: TaskMessage['cause']): string => writeTaskMessage({ v: 1, pk, taskNo, wake, lane, cause })
  if (trigger.kind === 'message') {
    const { delaySeconds } = trigger
    await deps.sqs.send(
      new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: message('stream'), DelaySeconds: delaySeconds }),
    )
    return
  }
  await deps.scheduler
    .send(
      new CreateScheduleCommand({
        Name: trigger.name,
        GroupName: deps.scheduleGroup,
        ScheduleExpression: trigger.expression,
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        Target: {
          Arn: queueArn,
          RoleArn: deps.scheduleRoleArn,
          Input: message('schedule'),
          RetryPolicy: SCHEDULE_RETRY,
          DeadLetterConfig: { Arn: deps.scheduleDlqArn },
        },
      }),
    )
    .catch(ignoreExisting)
}

/** The same wake-up was planned before: its schedule is there. */
function ignoreExisting(error: unknown): void {
  if (!(error instanceof Error && error.name === 'ConflictException')) throw error
}
