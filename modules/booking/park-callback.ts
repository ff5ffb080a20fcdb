import { bizNoOf } from '../core/biz-no.ts'
import type { ChannelEvent } from '../core/channel-event.ts'
import { plusMs } from '../core/instant.ts'
import { setVerdict } from '../ledger/callback/record-callback.ts'
import { type TaskContext, taskContext } from '../ledger/context.ts'
import type { Location } from '../ledger/read/locate-order.ts'
import { commit, type Loss } from '../ledger/table/commit.ts'
import { rowExists } from '../ledger/table/conditions.ts'
import { type Key, orderKey } from '../ledger/table/keys.ts'
import type { Put, Write } from '../ledger/table/make-write.ts'
import { optional, update } from '../ledger/table/writes.ts'
import { putTask } from '../ledger/task/put-task.ts'
import { type BookDeps, type BookResult, finish } from './booked.ts'

/** The ledger took neither the booking nor the task that would repeat it: the message must come again. */
export class CallbackNotTakenError extends Error {
  override readonly name = 'CallbackNotTakenError'
  readonly code = 'CALLBACK_NOT_TAKEN'

  constructor() {
    super('The ledger did not take the callback. It comes again from the queue; watch the DLQ.')
  }
}

/** An event that could not be booked now, and the kept callback that proves it. */
export interface Parked {
  readonly event: ChannelEvent
  readonly location: Location
  readonly evidence: Key
  /** The callback's own, hex. */
  readonly identity: string
  /** Stable code of why. */
  readonly why: string
}

/** The order is usually committed a moment later. Source: docs/design/task-types.md */
export const FIRST_RETRY_MS = 1000

/**
 * The order is not here yet, or booking failed: a task repeats it on its ladder. The event's task may be there for other bytes of
 * the same event; these get one of their own, or nobody would ever decide them.
 * @throws CallbackNotTakenError
 */
export async function parkCallback(deps: BookDeps, parked: Parked): Promise<void> {
  const context = taskContext(deps)
  const { evidence, identity } = parked
  const first = settleTask(parked, undefined, context)
  const parkedNow = [setVerdict(evidence, 'parked'), ...holdClose(parked.location)]
  const result = await commit(deps.ledger, [{ ...first, optional: false }, ...parkedNow], context.now)
  if (result.kind === 'done') return
  if (result.kind !== 'lost') throw new CallbackNotTakenError()
  const isForOthers = result.losses.some((loss) => isTaskOfOthers(loss, evidence.sk))
  const task = isForOthers ? settleTask(parked, identity.slice(0, 8), context) : first
  await mustBeTaken(finish(deps, [task, ...parkedNow], 'parked'))
}

/** Whoever is about to close the order must look again: its money may be in this callback. */
function holdClose({ orderNo }: Location): readonly Write[] {
  if (orderNo === undefined) return []
  return [optional(update({ ...orderKey(orderNo), et: 'ORDER' }, {}, rowExists))]
}

/** @throws CallbackNotTakenError unless it was booked */
export async function mustBeTaken(result: Promise<BookResult>): Promise<void> {
  if ((await result).kind !== 'booked') throw new CallbackNotTakenError()
}

function settleTask({ event, location, evidence, why }: Parked, twist: string | undefined, context: TaskContext): Put {
  const { channel, eventId } = event
  const { pk, orderNo } = location
  const bizNo = bizNoOf('SETTLE_CALLBACK', { channel, eventId, ...(twist !== undefined && { twist }) })
  const requestSnapshot = { callback: evidence.sk, eventId, why }
  const task = { pk, bizType: 'SETTLE_CALLBACK', bizNo, orderNo, channel, source: 'CALLBACK' } as const
  return putTask({ ...task, at: plusMs(context.now, FIRST_RETRY_MS), requestSnapshot }, context)
}

/** The event's task stands already, made for a callback of other bytes. */
function isTaskOfOthers({ arms, found }: Loss, callbackSk: string): boolean {
  const isTask = arms.includes('rowIsNew') && found?.['et'] === 'TASK'
  const snapshot = isTask ? found['requestSnapshot'] : undefined
  return typeof snapshot === 'object' && snapshot !== null && 'callback' in snapshot && snapshot.callback !== callbackSk
}
