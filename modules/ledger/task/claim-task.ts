import { type Instant, plusMs } from '../../core/instant.ts'
import { allOf, noOtherEffect, revIs, rowIsNew, taskIsDue } from '../table/conditions.ts'
import { attemptSk } from '../table/keys.ts'
import type { Write } from '../table/make-write.ts'
import type { OrderRow, TaskRow } from '../table/rows.ts'
import { put, update } from '../table/writes.ts'
import { moveTask } from './move-task.ts'

/** Clocks of two machines differ by at most about this; a trigger that early still counts. */
const CLOCK_SKEW_MS = 1000

/** Who holds a task, until when, and under which number. */
export interface Claim {
  readonly lockedBy: string
  /** Raised by each claim; a commit with an older one fails. */
  readonly fence: number
  readonly attemptNo: number
  readonly leaseUntil: Instant
}

/** The claim that a worker would make of a task now. */
export function planClaim(task: TaskRow, lockedBy: string, leaseMs: number, now: Instant): Claim {
  return { lockedBy, fence: task.fence + 1, attemptNo: task.attempts + 1, leaseUntil: plusMs(now, leaseMs) }
}

/**
 * The claim and the attempt row that it opens, before anything goes out: an attempt left open counts as sent.
 * @param effectOn the order, when the task is an effect on it that must not overlap with another
 */
export function claimWrites(
  { task, effectOn }: { readonly task: TaskRow; readonly effectOn: OrderRow | undefined },
  claim: Claim,
  attempt: { readonly target: string; readonly idempotencyKey: string },
  now: Instant,
): readonly Write[] {
  const { pk, taskNo } = task
  const { lockedBy, fence, attemptNo, leaseUntil } = claim
  // Mostly the lease ends before the sweep would look anyhow: then the index is not written.
  const dueAt = task.dueAt !== undefined && task.dueAt >= leaseUntil ? undefined : leaseUntil
  const set = { lockedBy, lockedAt: now, fence, attempts: attemptNo, lastExecuteAt: now, dueAt }
  const { target, idempotencyKey } = attempt
  const sk = attemptSk(taskNo, attemptNo)
  return [
    moveTask(task, 'claim', { set }, allOf(taskIsDue(plusMs(now, CLOCK_SKEW_MS)), revIs(task.rev))),
    put({ pk, sk, et: 'ATTEMPT', taskNo, no: attemptNo, openedAt: now, target, idempotencyKey }, rowIsNew),
    ...(effectOn === undefined ? [] : [takeOrder(effectOn, task, claim, now)]),
  ]
}

function takeOrder(order: OrderRow, { taskNo }: TaskRow, { fence, leaseUntil }: Claim, now: Instant): Write {
  const activeTask = { taskNo, fence, leaseUntil }
  return update(order, { set: { activeTask } }, allOf(noOtherEffect(now, taskNo), revIs(order.rev)))
}

/** Rows as they are after a claim that succeeded, so that the commit needs no second read when nobody else wrote. */
export function afterClaim(
  task: TaskRow,
  order: OrderRow | undefined,
  { lockedBy, fence, attemptNo: attempts, leaseUntil }: Claim,
  effect: boolean,
): { readonly task: TaskRow; readonly order?: OrderRow } {
  const activeTask = { taskNo: task.taskNo, fence, leaseUntil }
  return {
    task: { ...task, rev: task.rev + 1, status: 'PROCESSING', lockedBy, fence, attempts },
    ...(order !== undefined && { order: effect ? { ...order, rev: order.rev + 1, activeTask } : order }),
  }
}
