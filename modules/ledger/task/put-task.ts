import { retriesOf } from '../../core/back-off.ts'
import type { ChannelId, OrderNo } from '../../core/ids.ts'
import { type Instant, plusMs } from '../../core/instant.ts'
import type { TaskSource } from '../../core/task.ts'
import { type PolicyOverrides, policyOf, type TaskType } from '../../core/task-policies.ts'
import { rowIsNew } from '../table/conditions.ts'
import { duePkOf, findKeysOf, taskSk } from '../table/keys.ts'
import { taskNoOf } from '../table/names.ts'
import type { Write } from '../table/writes.ts'

/** From the moment a trigger should have come to the sweep's look at the row. Source: docs/design/task-times.md. */
export const SWEEP_GRACE_MS = 90_000
/** How long an open ticket rests between two looks of the sweep. */
export const TICKET_LOOK_MS = 60 * 60 * 1000
/** The number of a ticket's first execution. */
const FIRST_RUN = 1

export interface NewTask {
  readonly pk: string
  readonly bizType: TaskType
  readonly bizNo: string
  readonly orderNo?: OrderNo
  readonly channel?: ChannelId
  readonly source: TaskSource
  /** First time to execute; `now` for at once. */
  readonly at: Instant
  readonly requestSnapshot?: Readonly<Record<string, unknown>>
  /** What the outgoing call carries over all retries; the task's own number where the channel has no rule. */
  readonly idempotencyKey?: string
}

/** The put of a follow-up task. It may exist already: then the transaction goes on without it. */
export function putTask(task: NewTask, overrides: PolicyOverrides, now: Instant): Write {
  const policy = policyOf(task.bizType, task.channel, overrides)
  return {
    op: 'put',
    when: rowIsNew,
    optional: true,
    item: {
      ...identityOf(task, overrides, now),
      status: 'WAITING',
      nextExecuteAt: task.at,
      deadlineAt: plusMs(task.at, policy.totalMs),
      wake: task.at,
      duePk: duePkOf(task.pk),
      dueAt: plusMs(task.at, SWEEP_GRACE_MS),
    },
  }
}

/**
 * A ticket: a task that starts in MANUAL because nothing but a person may decide it, and the task that starts its execution.
 * @param reason stable code of why a person is asked
 */
export function putTicket(
  task: Omit<NewTask, 'at'> & { readonly reason: string; readonly message?: string },
  overrides: PolicyOverrides,
  now: Instant,
): readonly Write[] {
  const identity = identityOf({ ...task, at: now }, overrides, now)
  const ticket: Write = {
    op: 'put',
    when: rowIsNew,
    optional: true,
    item: {
      ...identity,
      run: FIRST_RUN,
      status: 'MANUAL',
      nextExecuteAt: now,
      deadlineAt: now,
      lastErrorCode: task.reason,
      ...(task.message !== undefined && { lastErrorMsg: task.message }),
      duePk: duePkOf(task.pk),
      dueAt: plusMs(now, TICKET_LOOK_MS),
      ...findKeysOf({ ...identity, status: 'MANUAL' }),
    },
  }
  return [ticket, putStartExecution({ ...identity, run: FIRST_RUN }, overrides, now)]
}

/**
 * START_EXECUTION taskNo/run: the trigger of the ticket's workflow, as durable as the ticket.
 * Source: docs/design/keys-and-rows.md, Numbers
 */
export function putStartExecution(
  ticket: {
    readonly pk: string
    readonly taskNo: string
    readonly run: number
    readonly orderNo?: OrderNo | undefined
  },
  overrides: PolicyOverrides,
  now: Instant,
): Write {
  return putTask(
    {
      pk: ticket.pk,
      bizType: 'START_EXECUTION',
      bizNo: `${ticket.taskNo}/${ticket.run}`,
      ...(ticket.orderNo !== undefined && { orderNo: ticket.orderNo }),
      source: 'POLICY',
      at: now,
    },
    overrides,
    now,
  )
}

function identityOf(task: NewTask, overrides: PolicyOverrides, now: Instant) {
  const taskNo = taskNoOf(task.bizType, task.bizNo)
  const policy = policyOf(task.bizType, task.channel, overrides)
  return {
    pk: task.pk,
    sk: taskSk(taskNo),
    et: 'TASK',
    taskNo,
    bizType: task.bizType,
    bizNo: task.bizNo,
    ...(task.orderNo !== undefined && { orderNo: task.orderNo }),
    ...(task.channel !== undefined && { channel: task.channel }),
    lane: policy.lane === 'channel' ? (task.channel ?? 'internal') : policy.lane,
    source: task.source,
    retryCount: 0,
    // Absent where the total time ends it and not a count. `undefined` is not written.
    maxRetryCount: retriesOf(policy.ladder),
    attempts: 0,
    fence: 0,
    run: 0,
    parkedMs: 0,
    idempotencyKey: task.idempotencyKey ?? taskNo,
    ...(task.requestSnapshot !== undefined && { requestSnapshot: task.requestSnapshot }),
    createdAt: now,
  }
}
