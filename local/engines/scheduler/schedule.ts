import type { TargetDefinition } from './wire/read-definition.ts'

/** What Create and UpdateSchedule say, defaults filled in. Dates are ms since the epoch. */
export interface ScheduleDefinition {
  readonly expression: string
  readonly timeZone: string
  readonly isEnabled: boolean
  readonly deletesAfterCompletion: boolean
  readonly startAt: number | undefined
  readonly endAt: number | undefined
  readonly description: string | undefined
  readonly window: { readonly Mode: 'OFF' | 'FLEXIBLE'; readonly MaximumWindowInMinutes?: number | undefined }
  readonly target: TargetDefinition
}

/** A schedule as it lives in the engine. */
export interface Schedule {
  readonly id: number
  readonly group: string
  readonly name: string
  readonly clientToken: string | undefined
  readonly createdAt: number
  modifiedAt: number
  definition: ScheduleDefinition
  /** ms since the epoch; `undefined` when it is disabled or will not fire again. */
  nextFireAt: number | undefined
}

/** A group of schedules. */
export interface ScheduleGroup {
  readonly name: string
  readonly createdAt: number
}

/** One firing, kept until its delivery is settled. */
export interface PendingInvocation {
  readonly executionId: string
  readonly scheduleId: number
  readonly group: string
  readonly name: string
  readonly target: TargetDefinition
  /** When it was due, and when it was first tried. */
  readonly scheduledAt: number
  readonly firedAt: number
  /** 1 for the first try. */
  attempt: number
  nextTryAt: number
  /** Set once the retries are used up and the dead-letter queue is what it is on its way to. */
  failure: Failure | undefined
}

/** Why a firing ended in the dead-letter queue. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly exhausted: 'MaximumRetryAttempts' | 'MaximumEventAgeInSeconds' | undefined
  readonly retries: number
  /** The payload that could not be delivered. */
  readonly input: string
}

const arnPrefix = 'arn:aws:scheduler:us-east-1:000000000000'

/** The ARN of a schedule. */
export const scheduleArn = (group: string, name: string): string => `${arnPrefix}:schedule/${group}/${name}`

/** The ARN of a schedule group. */
export const groupArn = (name: string): string => `${arnPrefix}:schedule-group/${name}`
