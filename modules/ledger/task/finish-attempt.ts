import type { TaskDecision } from '../../core/decide-retry.ts'
import { type Instant, plusMs } from '../../core/instant.ts'
import type { Outcome } from '../../core/outcome.ts'
import type { TaskContext } from '../context.ts'
import { claimIsOurs, effectIsOurs, isAbsent } from '../table/conditions.ts'
import { attemptSk } from '../table/keys.ts'
import type { Update, Write } from '../table/make-write.ts'
import type { OrderRow, TaskRow } from '../table/rows.ts'
import type { SetOf } from '../table/write-types.ts'
import { update } from '../table/writes.ts'
import type { Claim } from './claim-task.ts'
import { moveTask } from './move-task.ts'
import { SWEEP_GRACE_MS } from './put-task.ts'
import { toPerson } from './to-person.ts'

/** What is kept of one execution beside its decision. */
export interface AttemptResult {
  readonly outcome: Outcome
  readonly decision: TaskDecision
  readonly resultSnapshot?: Readonly<Record<string, unknown>>
  /** The way of delivery that the task goes on with. */
  readonly interfaceIndex?: number
}

/**
 * Closes the attempt and moves the task, conditional on the claim: a worker whose lease lapsed and was taken over fails here.
 */
export function finishWrites(
  task: TaskRow,
  claim: Claim,
  result: AttemptResult,
  context: TaskContext,
): readonly Write[] {
  return [...moveOn(task, claim, result, context), closeAttempt(task, claim.attemptNo, result, context.now)]
}

function moveOn(task: TaskRow, claim: Claim, result: AttemptResult, context: TaskContext): readonly Write[] {
  const { outcome, decision, resultSnapshot, interfaceIndex } = result
  const { now } = context
  const ours = claimIsOurs(claim.lockedBy, claim.fence)
  const kept = { resultSnapshot, interfaceIndex }
  switch (decision.kind) {
    case 'succeed':
      return [moveTask(task, 'succeed', { set: kept }, ours)]
    case 'retry': {
      const set = { ...kept, ...again(decision.nextExecuteAt, outcome), retryCount: decision.retryCount }
      return [moveTask(task, 'retry', { set }, ours)]
    }
    case 'pause': {
      const set = { ...kept, ...again(decision.nextExecuteAt, outcome), ...paused(task, result, now) }
      return [moveTask(task, 'retry', { set }, ours)]
    }
    case 'close':
      // Found by its status until somebody has it told again.
      return [moveTask(task, 'giveUp', { set: { ...kept, failedAt: now, lastErrorCode: decision.reason } }, ours)]
    case 'manual': {
      const set = { ...kept, failedAt: now, lastErrorMsg: outcome.message }
      return toPerson(task, { event: 'fail', reason: decision.reason, set, when: ours }, context)
    }
  }
}

function again(nextExecuteAt: Instant, outcome: Outcome): SetOf<'TASK'> {
  const { code, networkErrorType, kind, message } = outcome
  return {
    nextExecuteAt,
    wake: nextExecuteAt,
    dueAt: plusMs(nextExecuteAt, SWEEP_GRACE_MS),
    lastErrorCode: code ?? networkErrorType?.toUpperCase() ?? kind.toUpperCase(),
    lastErrorMsg: message,
  }
}

/** The time of a pause is added to the deadline. */
function paused(task: TaskRow, { outcome, decision }: AttemptResult, now: Instant): SetOf<'TASK'> {
  const pausedMs = decision.kind === 'pause' ? Date.parse(decision.nextExecuteAt) - Date.parse(now) : 0
  return {
    parkedMs: Math.max(0, task.parkedMs + pausedMs),
    deadlineAt: plusMs(task.deadlineAt, pausedMs),
    misconfiguredSince: outcome.kind === 'misconfigured' ? (task.misconfiguredSince ?? now) : undefined,
  }
}

function closeAttempt(task: TaskRow, no: number, { outcome, decision }: AttemptResult, now: Instant): Update {
  const { kind, code, message, httpStatus, networkErrorType, retryAfterMs } = outcome
  const set = {
    closedAt: now,
    outcome: kind,
    code,
    message,
    httpStatus,
    networkErrorType,
    retryAfterMs,
    nextExecuteAt: 'nextExecuteAt' in decision ? decision.nextExecuteAt : undefined,
    rule: 'rule' in decision ? decision.rule : undefined,
  }
  return update({ et: 'ATTEMPT', pk: task.pk, sk: attemptSk(task.taskNo, no) }, { set }, isAbsent('closedAt'))
}

/** Gives the order back to other effects when the effect changed nothing else of it. */
export function releaseOrder(order: OrderRow, task: TaskRow, claim: Claim): Write {
  return update(order, { remove: ['activeTask'] }, effectIsOurs(task.taskNo, claim.fence))
}
