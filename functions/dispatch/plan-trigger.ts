import { type Instant, instantOf, msOf } from '../../modules/core/instant.ts'

/** Up to this far ahead an SQS delay carries the trigger; further, a one-time schedule. Source: docs/design/task-times.md, Sending */
export const MAX_DELAY_S = 60
/** The longest that SQS delays. Source: SQS developer guide, "Amazon SQS message quotas" */
export const LONGEST_DELAY_S = 900

/** How a task's next wake-up is carried. */
export type Trigger =
  | { readonly kind: 'message'; readonly delaySeconds: number }
  | {
      readonly kind: 'schedule'
      /** Unique per task and moment, so that creating it twice is one. */
      readonly name: string
      /** Whole seconds, as EventBridge Scheduler wants it, never before `wake`. */
      readonly expression: string
    }

/**
 * Plans the trigger of one wake-up. Rounded up to whole seconds: a trigger that comes early meets a row that says not yet.
 * Source: docs/design/task-times.md, Sending; https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
 */
export function planTrigger(taskNo: string, wake: Instant, now: Instant): Trigger {
  const delaySeconds = delayOf(wake, now)
  if (delaySeconds <= MAX_DELAY_S) return { kind: 'message', delaySeconds }
  const wakeS = Math.ceil(msOf(wake) / 1000)
  return {
    kind: 'schedule',
    name: `t.${taskNo}.${wakeS.toString(36)}`,
    expression: `at(${instantOf(wakeS * 1000).slice(0, 19)})`,
  }
}

/** Whole seconds until a wake-up, never too few. */
export function delayOf(wake: Instant, now: Instant): number {
  return Math.max(0, Math.ceil((msOf(wake) - msOf(now)) / 1000))
}
