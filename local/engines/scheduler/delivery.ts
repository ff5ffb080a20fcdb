import type { MessageAttributes } from '../sqs/message.ts'
import { fillInput, formatInstant } from './fill-input.ts'
import { type Failure, type PendingInvocation, scheduleArn } from './schedule.ts'

/** Where a firing goes. */
export interface DeliveryTarget {
  readonly arn: string
  readonly roleArn: string
  /** The payload, context attributes filled in. */
  readonly input: string
  readonly messageGroupId?: string
  readonly eventBridge?: { readonly detailType: string; readonly source: string }
}

/** Which firing it is. */
export interface Invocation {
  /** `deadLetter`: the target is the schedule's dead-letter queue, and `messageAttributes` say why. */
  readonly kind: 'target' | 'deadLetter'
  readonly scheduleArn: string
  readonly group: string
  readonly name: string
  readonly executionId: string
  /** ms since the epoch */
  readonly scheduledAt: number
  /** 1 for the first try */
  readonly attempt: number
  readonly messageAttributes: MessageAttributes
}

/** Hands a firing to its target; resolves once the target has it. A rejection is retried, save TargetRefusedError. */
export type Deliver = (target: DeliveryTarget, invocation: Invocation) => Promise<void>

/** The call to make for a firing: to its target, or, after it failed for good, to its dead-letter queue. */
export function toDelivery(pending: PendingInvocation): { target: DeliveryTarget; invocation: Invocation } {
  const { target, failure, executionId, group, name, scheduledAt, attempt } = pending
  const invocation = { scheduleArn: scheduleArn(group, name), group, name, executionId, scheduledAt, attempt }
  if (failure !== undefined) {
    return {
      target: { arn: target.DeadLetterConfig?.Arn ?? '', roleArn: target.RoleArn, input: failure.input },
      invocation: { ...invocation, kind: 'deadLetter', messageAttributes: describeFailure(pending, failure) },
    }
  }
  const messageGroupId = target.SqsParameters?.MessageGroupId
  const bus = target.EventBridgeParameters
  return {
    target: {
      arn: target.Arn,
      roleArn: target.RoleArn,
      input: fillInput(pending),
      ...(messageGroupId !== undefined && { messageGroupId }),
      ...(bus !== undefined && { eventBridge: { detailType: bus.DetailType, source: bus.Source } }),
    },
    invocation: { ...invocation, kind: 'target', messageAttributes: {} },
  }
}

/** Source: EventBridge Scheduler User Guide, "Configuring a dead-letter queue". */
function describeFailure(pending: PendingInvocation, failure: Failure): MessageAttributes {
  const texts: Record<string, string | undefined> = {
    ERROR_CODE: failure.code,
    ERROR_MESSAGE: failure.message === '' ? undefined : failure.message,
    EXECUTION_ID: pending.executionId,
    EXHAUSTED_RETRY_CONDITION: failure.exhausted,
    RETRY_ATTEMPTS: String(failure.retries),
    SCHEDULED_TIME: formatInstant(pending.scheduledAt),
    SCHEDULE_ARN: scheduleArn(pending.group, pending.name),
    TARGET_ARN: pending.target.Arn,
  }
  const present = Object.entries(texts).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }]))
  return Object.fromEntries(present.map(({ key, value }) => [key, { DataType: 'String', StringValue: value }]))
}
