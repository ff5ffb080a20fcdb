import { retriesOf } from '../../core/back-off.ts'
import { type BizNo, bizNoOf } from '../../core/biz-no.ts'
import type { ChannelId, OrderNo, TaskNo } from '../../core/ids.ts'
import { type Instant, plusMs } from '../../core/instant.ts'
import type { TaskSource } from '../../core/task.ts'
import type { TaskType } from '../../core/task-policies.ts'
import type { TaskContext } from '../context.ts'
import { rowIsNew } from '../table/conditions.ts'
import { duePkOf, findKeysOf, taskSk } from '../table/keys.ts'
import type { Put, Write } from '../table/make-write.ts'
import { taskNoOf } from '../table/names.ts'
import { optional, put } from '../table/writes.ts'
import type { RequestOf } from './snapshots.ts'

/** From the moment a trigger should have come to the sweep's look at the row. */
export const SWEEP_GRACE_MS = 150_000
/** How long an open ticket rests between two looks of the sweep. */
export const TICKET_LOOK_MS = 60 * 60 * 1000
/** The number of a ticket's first execution. */
const FIRST_RUN = 1

/** A task of one type, before it has a row. */
export interface NewTaskOf<Type extends TaskType> {
  readonly pk: string
  readonly bizType: Type
  readonly bizNo: BizNo<Type>
  readonly orderNo?: OrderNo | undefined
  readonly channel?: ChannelId | undefined
  readonly source: TaskSource
  /** First time to execute; `now` for at once. */
  readonly at: Instant
  readonly requestSnapshot?: RequestOf<Type> | undefined
  /** What the outgoing call carries over all retries; the task's own number where the channel has no rule. */
  readonly idempotencyKey?: string
}

/** A task of any type, before it has a row. */
export type NewTask = { readonly [Type in TaskType]: NewTaskOf<Type> }[TaskType]

/** A ticket of one type, and the stable code of why a person is asked. */
export type NewTicket = Omit<NewTaskOf<'REVIEW'>, 'at' | 'bizType'> & {
  readonly reason: string
  readonly message?: string
}

/** The put of a follow-up task. It may exist already: then the transaction goes on without it. */
export function putTask(task: NewTask, context: TaskContext): Put {
  const { totalMs } = context.policies.of(task.bizType, task.channel)
  return optional(
    put(
      {
        ...identityOf(task, context),
        status: 'WAITING',
        nextExecuteAt: task.at,
        deadlineAt: plusMs(task.at, totalMs),
        wake: task.at,
        duePk: duePkOf(task.pk),
        dueAt: plusMs(task.at, SWEEP_GRACE_MS),
      },
      rowIsNew,
    ),
  )
}

/** A ticket: a task that starts in MANUAL because nothing but a person may decide it, and the task that starts its execution. */
export function putTicket(ticket: NewTicket, context: TaskContext): readonly Write[] {
  const { now } = context
  const identity = { ...identityOf({ ...ticket, bizType: 'REVIEW', at: now }, context), run: FIRST_RUN }
  const row = put(
    {
      ...identity,
      status: 'MANUAL',
      nextExecuteAt: now,
      deadlineAt: now,
      lastErrorCode: ticket.reason,
      lastErrorMsg: ticket.message,
      duePk: duePkOf(ticket.pk),
      dueAt: plusMs(now, TICKET_LOOK_MS),
      ...findKeysOf({ ...identity, status: 'MANUAL' }),
    },
    rowIsNew,
  )
  return [optional(row), putStartExecution(identity, context)]
}

/** START_EXECUTION taskNo/run: the trigger of the ticket's workflow, as durable as the ticket. */
export function putStartExecution(
  ticket: {
    readonly pk: string
    readonly taskNo: TaskNo
    readonly run: number
    readonly orderNo?: OrderNo | undefined
  },
  context: TaskContext,
): Write {
  const { pk, taskNo, run, orderNo } = ticket
  const bizNo = bizNoOf('START_EXECUTION', { taskNo, run })
  return putTask({ pk, bizType: 'START_EXECUTION', bizNo, orderNo, source: 'POLICY', at: context.now }, context)
}

function identityOf(task: NewTask, { policies, now }: TaskContext) {
  const { pk, bizType, bizNo, orderNo, channel, source, requestSnapshot } = task
  const taskNo = taskNoOf(bizType, bizNo)
  const policy = policies.of(bizType, channel)
  return {
    pk,
    sk: taskSk(taskNo),
    et: 'TASK' as const,
    taskNo,
    bizType,
    bizNo,
    orderNo,
    channel,
    lane: policy.lane === 'channel' ? (channel ?? 'internal') : policy.lane,
    source,
    retryCount: 0,
    // Absent where the total time ends it and not a count.
    maxRetryCount: retriesOf(policy.ladder),
    attempts: 0,
    fence: 0,
    run: 0,
    parkedMs: 0,
    idempotencyKey: task.idempotencyKey ?? taskNo,
    requestSnapshot: requestSnapshot === undefined ? undefined : { ...requestSnapshot },
    createdAt: now,
  }
}
