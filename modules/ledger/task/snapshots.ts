import * as z from 'zod/mini'
import { noticeTypes } from '../../core/notice.ts'
import type { TaskType } from '../../core/task-policies.ts'
import { channelTxnId, count, instant, sku, text } from '../table/rows/fields.ts'
import { CorruptRowError, type TaskRow } from '../table/rows.ts'

/** Who had a task done now, or sent round again, and when. */
const asked = {
  askedBy: z.optional(text),
  askedAt: z.optional(instant),
  wokenBy: z.optional(text),
  wokenAt: z.optional(instant),
  /** When it would have been its turn, had nobody asked for it. */
  plannedAt: z.optional(instant),
  requeuedBy: z.optional(text),
  requeuedAt: z.optional(instant),
  requeuedFor: z.optional(instant),
}

const plain = z.object(asked)

/** What a task is given on its way, by its type. */
const requests = {
  /** The payment that a hint named, where the question has no other number to ask by. */
  QUERY_PAYMENT: z.object({ ...asked, channelTxnId: z.optional(channelTxnId) }),
  CLOSE_ORDER: plain,
  CLOSE_ATTEMPT: plain,
  DELIVER: z.object({ ...asked, line: count, sku, qty: count }),
  REFUND: plain,
  /** The payment that a hint named, with the movements that hints named of it. */
  QUERY_REFUND: z.object({
    ...asked,
    channelTxnId,
    refundIds: z.optional(z.array(text)),
    disputeIds: z.optional(z.array(text)),
  }),
  /** The kept callback's sort key, and which of its events; without one, the whole of it is taken in anew. */
  SETTLE_CALLBACK: z.object({ ...asked, callback: text, eventId: z.optional(text), why: z.optional(text) }),
  NOTIFY: z.object({
    ...asked,
    type: z.enum(noticeTypes),
    sequence: z.optional(count),
    data: z.record(text, z.union([text, z.number(), z.undefined()])),
    /** Of a replay: the time of the change that it tells of, and the number of the first notice. */
    at: z.optional(instant),
    replayOf: z.optional(text),
  }),
  VERIFY_STATUS: plain,
  SETTLEMENT_WRITEBACK: plain,
  RELEASE_STOCK: plain,
  /** The evidence that a person needs, different by the ticket's kind. */
  REVIEW: z.looseObject({ ...asked, evidence: z.optional(text) }),
  START_EXECUTION: plain,
  RESUME_EXECUTION: plain,
  FETCH_BILL: plain,
} as const satisfies { readonly [Type in TaskType]: z.core.$ZodType }

/** What a task of this type is given on its way. */
export type RequestOf<Type extends TaskType> = Loose<z.infer<(typeof requests)[Type]>>
type Loose<Given> = {
  readonly [Name in keyof Given]: undefined extends Given[Name] ? Given[Name] | undefined : Given[Name]
}

/** What an execution leaves behind, of all types: QUERY_PAYMENT keeps the channel's last answer. */
const result = z.looseObject({
  endedBecause: z.optional(text),
  state: z.optional(text),
  code: z.optional(text),
  answeredAt: z.optional(instant),
})
export type ResultSnapshot = z.infer<typeof result>

/**
 * What a task was given. An older release may have given it less.
 * @throws CorruptRowError when what it was given is not of its type
 */
export function requestOf<Type extends TaskType>(type: Type, task: Pick<TaskRow, 'pk' | 'sk' | 'requestSnapshot'>) {
  const { requestSnapshot = {} } = task
  const parsed = z.safeParse(z.partial(requests[type]), requestSnapshot)
  if (parsed.success) return parsed.data as Partial<z.infer<(typeof requests)[Type]>>
  throw new CorruptRowError({ ...task }, 'requestSnapshot')
}

/** What any task may have been told about who wants it. @throws CorruptRowError as {@link requestOf} */
export function askedOf(task: Pick<TaskRow, 'pk' | 'sk' | 'requestSnapshot'>): z.infer<typeof plain> {
  return requestOf('CLOSE_ORDER', task)
}

/** What the last execution of a task left behind. @throws CorruptRowError when it is not of its form */
export function resultOf(task: Pick<TaskRow, 'pk' | 'sk' | 'resultSnapshot'>): ResultSnapshot {
  const parsed = z.safeParse(result, task.resultSnapshot ?? {})
  if (parsed.success) return parsed.data
  throw new CorruptRowError({ ...task }, 'resultSnapshot')
}
