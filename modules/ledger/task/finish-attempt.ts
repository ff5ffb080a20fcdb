import type { TaskDecision } from '../../core/decide-retry.ts'
import { type Instant, plusMs } from '../../core/instant.ts'
import type { Outcome } from '../../core/outcome.ts'
import type { TaskStatus } from '../../core/task.ts'
import type { PolicyOverrides } from '../../core/task-policies.ts'
import { allOf, claimIsOurs, effectIsOurs, isAbsent } from '../table/conditions.ts'
import { attemptSk, findKeysOf, orderKey } from '../table/keys.ts'
import type { OrderRow, TaskRow } from '../table/rows.ts'
import type { Write } from '../table/writes.ts'
import type { Claim } from './claim-task.ts'
import { putStartExecution, SWEEP_GRACE_MS, TICKET_LOOK_MS } from './put-task.ts'

/** Attributes that only a waiting or held task has; an ended one leaves both indexes, unless it was given up. */
const WAITING_ONLY = ['wake', 'lockedBy', 'lockedAt', 'findPk', 'findSk', 'misconfiguredSince']

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
 * Source: docs/design/states.md, Task; docs/design/task-times.md
 */
export function finishWrites(
  task: TaskRow,
  claim: Claim,
  result: AttemptResult,
  overrides: PolicyOverrides,
  now: Instant,
): readonly Write[] {
  const { set, remove, also } = taskChange(task, result, overrides, now)
  return [
    {
      op: 'update',
      key: { pk: task.pk, sk: task.sk },
      set: {
        ...set,
        ...(result.resultSnapshot !== undefined && { resultSnapshot: result.resultSnapshot }),
        ...(result.interfaceIndex !== undefined && { interfaceIndex: result.interfaceIndex }),
      },
      remove: remove.filter((name) => set[name] === undefined),
      when: claimIsOurs(claim.lockedBy, claim.fence),
    },
    closeAttempt(task, claim.attemptNo, result, now),
    ...also,
  ]
}

interface TaskChange {
  readonly set: Readonly<Record<string, unknown>>
  readonly remove: readonly string[]
  readonly also: readonly Write[]
}

function taskChange(
  task: TaskRow,
  { outcome, decision }: AttemptResult,
  overrides: PolicyOverrides,
  now: Instant,
): TaskChange {
  switch (decision.kind) {
    case 'succeed':
      return ended('SUCCESS')
    case 'retry':
      return waiting(task, decision.nextExecuteAt, outcome, { retryCount: decision.retryCount })
    case 'pause': {
      const pausedMs = Date.parse(decision.nextExecuteAt) - Date.parse(now)
      return waiting(task, decision.nextExecuteAt, outcome, {
        parkedMs: task.parkedMs + pausedMs,
        deadlineAt: plusMs(task.deadlineAt, pausedMs),
        ...(outcome.kind === 'misconfigured' && { misconfiguredSince: task.misconfiguredSince ?? now }),
      })
    }
    case 'close':
      // Found by its status until somebody has it told again.
      return ended('CLOSED', {
        failedAt: now,
        lastErrorCode: decision.reason,
        ...findKeysOf({ ...task, status: 'CLOSED' }),
      })
    case 'manual':
      return manual(task, decision.reason, outcome.message, overrides, now, { failedAt: now })
  }
}

function ended(status: TaskStatus, more: Readonly<Record<string, unknown>> = {}): TaskChange {
  return { set: { status, ...more }, remove: [...WAITING_ONLY, 'duePk', 'dueAt'], also: [] }
}

function waiting(
  task: TaskRow,
  nextExecuteAt: Instant,
  outcome: Outcome,
  more: Readonly<Record<string, unknown>>,
): TaskChange {
  return {
    set: {
      status: 'RETRY',
      nextExecuteAt,
      wake: nextExecuteAt,
      dueAt: plusMs(nextExecuteAt, SWEEP_GRACE_MS),
      ...errorOf(outcome),
      ...more,
      ...findKeysOf({ ...task, status: 'RETRY' }),
    },
    remove: WAITING_ONLY,
    also: [],
  }
}

/** A task that a person must look at, from wherever it comes, with the trigger of its workflow. */
export function manual(
  task: TaskRow,
  reason: string,
  message: string | undefined,
  overrides: PolicyOverrides,
  now: Instant,
  more: Readonly<Record<string, unknown>> = {},
): TaskChange {
  const run = task.run + 1
  return {
    set: {
      status: 'MANUAL',
      run,
      lastErrorCode: reason,
      ...(message !== undefined && { lastErrorMsg: message }),
      dueAt: plusMs(now, TICKET_LOOK_MS),
      ...more,
      ...findKeysOf({ ...task, status: 'MANUAL' }),
    },
    remove: WAITING_ONLY,
    also: [putStartExecution({ pk: task.pk, taskNo: task.taskNo, run, orderNo: task.orderNo }, overrides, now)],
  }
}

function closeAttempt(task: TaskRow, no: number, { outcome, decision }: AttemptResult, now: Instant): Write {
  return {
    op: 'update',
    key: { pk: task.pk, sk: attemptSk(task.taskNo, no) },
    set: {
      closedAt: now,
      outcome: outcome.kind,
      code: outcome.code,
      message: outcome.message,
      httpStatus: outcome.httpStatus,
      networkErrorType: outcome.networkErrorType,
      retryAfterMs: outcome.retryAfterMs,
      ...('nextExecuteAt' in decision && { nextExecuteAt: decision.nextExecuteAt }),
      ...('rule' in decision && { rule: decision.rule }),
    },
    when: isAbsent('closedAt'),
  }
}

function errorOf(outcome: Outcome): Readonly<Record<string, unknown>> {
  return {
    lastErrorCode: outcome.code ?? outcome.networkErrorType?.toUpperCase() ?? outcome.kind.toUpperCase(),
    ...(outcome.message !== undefined && { lastErrorMsg: outcome.message }),
  }
}

/** Gives the order back to other effects when the effect changed nothing else of it. */
export function releaseOrder(order: OrderRow, task: TaskRow, claim: Claim): Write {
  return {
    op: 'update',
    key: orderKey(order.orderNo),
    remove: ['activeTask'],
    when: allOf(effectIsOurs(task.taskNo, claim.fence)),
  }
}
