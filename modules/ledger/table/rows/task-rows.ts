import * as z from 'zod/mini'
import { networkErrorTypes, outcomeKinds } from '../../../core/outcome.ts'
import { taskSources, taskStatuses } from '../../../core/task.ts'
import { taskTypes } from '../../../core/task-policies.ts'
import { channel, count, dueKeys, head, instant, orderNo, taskNo, text } from './fields.ts'

export const taskRow = z.object({
  ...head,
  et: z.literal('TASK'),
  taskNo,
  bizType: z.enum(taskTypes),
  bizNo: text,
  orderNo: z.optional(orderNo),
  channel: z.optional(channel),
  lane: text,
  source: z.enum(taskSources),
  status: z.enum(taskStatuses),
  retryCount: count,
  maxRetryCount: z.optional(count),
  /** Attempts opened so far, the number of the newest attempt row. */
  attempts: count,
  nextExecuteAt: instant,
  lastExecuteAt: z.optional(instant),
  deadlineAt: instant,
  lastErrorCode: z.optional(text),
  lastErrorMsg: z.optional(text),
  /** REVIEW: sort keys of all that was heard of its fact while it was open, the newest last; what does not fit is counted. */
  evidence: z.optional(z.array(text)),
  evidenceMore: z.optional(count),
  requestSnapshot: z.optional(z.record(text, z.unknown())),
  resultSnapshot: z.optional(z.record(text, z.unknown())),
  lockedBy: z.optional(text),
  lockedAt: z.optional(instant),
  fence: count,
  idempotencyKey: text,
  /** Place of the way of delivery in use among the line's interfaces; absent: the first. */
  interfaceIndex: z.optional(count),
  /** A slot that the parked task holds, of which lane's gate, and the gate's epoch when it was given. */
  slotAt: z.optional(instant),
  slotLane: z.optional(text),
  gateEpoch: z.optional(count),
  run: count,
  parkedMs: count,
  failedAt: z.optional(instant),
  /** Since when each attempt has met a channel that is ours to fix. */
  misconfiguredSince: z.optional(instant),
  wake: z.optional(instant),
  ...dueKeys,
  findPk: z.optional(text),
  findSk: z.optional(text),
  createdAt: instant,
})

/** What an attempt came to: an outcome, or that nobody came back with one. */
export const attemptOutcomes = [...outcomeKinds, 'ABANDONED'] as const

export const attemptRow = z.object({
  ...head,
  et: z.literal('ATTEMPT'),
  taskNo,
  no: count,
  openedAt: instant,
  closedAt: z.optional(instant),
  target: text,
  idempotencyKey: text,
  outcome: z.optional(z.enum(attemptOutcomes)),
  code: z.optional(text),
  message: z.optional(text),
  httpStatus: z.optional(count),
  networkErrorType: z.optional(z.enum(networkErrorTypes)),
  retryAfterMs: z.optional(count),
  nextExecuteAt: z.optional(instant),
  rule: z.optional(text),
})
