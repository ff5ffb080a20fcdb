import { type Instant, plusMs } from '../../core/instant.ts'
import { allOf, noOtherEffect, revIs, rowIsNew, taskIsDue } from '../table/conditions.ts'
import { attemptSk, orderKey } from '../table/keys.ts'
import type { OrderRow, TaskRow } from '../table/rows.ts'
import type { Write } from '../table/writes.ts'

/** Clocks of two machines differ by at most about this; a trigger that early still counts. Source: docs/design/task-times.md, Claim */
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
 * Source: docs/design/task-times.md, Claim
 */
export function claimWrites(
  task: TaskRow,
  claim: Claim,
  attempt: { readonly target: string; readonly idempotencyKey: string },
  effectOn: OrderRow | undefined,
  now: Instant,
): readonly Write[] {
  const writes: Write[] = [
    {
      op: 'update',
      key: { pk: task.pk, sk: task.sk },
      set: {
        status: 'PROCESSING',
        lockedBy: claim.lockedBy,
        lockedAt: now,
        fence: claim.fence,
        attempts: claim.attemptNo,
        lastExecuteAt: now,
        dueAt: claim.leaseUntil,
      },
      remove: ['wake', 'findPk', 'findSk', 'slotAt', 'slotLane', 'gateEpoch'],
      when: allOf(taskIsDue(plusMs(now, CLOCK_SKEW_MS)), revIs(task.rev)),
    },
    {
      op: 'put',
      when: rowIsNew,
      item: {
        pk: task.pk,
        sk: attemptSk(task.taskNo, claim.attemptNo),
        et: 'ATTEMPT',
        taskNo: task.taskNo,
        no: claim.attemptNo,
        openedAt: now,
        ...attempt,
      },
    },
  ]
  if (effectOn === undefined) return writes
  return [
    ...writes,
    {
      op: 'update',
      key: orderKey(effectOn.orderNo),
      set: { activeTask: { taskNo: task.taskNo, fence: claim.fence, leaseUntil: claim.leaseUntil } },
      when: allOf(noOtherEffect(now, task.taskNo), revIs(effectOn.rev)),
    },
  ]
}

/** Rows as they are after a claim that succeeded, so that the commit needs no second read when nobody else wrote. */
export function afterClaim(
  task: TaskRow,
  order: OrderRow | undefined,
  claim: Claim,
  effect: boolean,
): { readonly task: TaskRow; readonly order?: OrderRow } {
  const activeTask = { taskNo: task.taskNo, fence: claim.fence, leaseUntil: claim.leaseUntil }
  return {
    task: {
      ...task,
      rev: task.rev + 1,
      status: 'PROCESSING',
      lockedBy: claim.lockedBy,
      fence: claim.fence,
      attempts: claim.attemptNo,
    },
    ...(order !== undefined && { order: effect ? { ...order, rev: order.rev + 1, activeTask } : order }),
  }
}
