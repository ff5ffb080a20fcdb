import { bizNoOf } from '../core/biz-no.ts'
import type { Instant } from '../core/instant.ts'
import {
  type CallbackRecord,
  callbackKey,
  identityOf,
  recordCallback,
  setVerdict,
} from '../ledger/callback/record-callback.ts'
import { taskContext } from '../ledger/context.ts'
import { orphanPk } from '../ledger/table/keys.ts'
import { taskNoOf } from '../ledger/table/names.ts'
import { putTask } from '../ledger/task/put-task.ts'
import { log } from '../runtime/telemetry/log.ts'
import type { BookDeps, BookResult } from './booked.ts'
import { finish } from './booked.ts'

/** Why nobody could say yet which order a callback belongs to. */
type Why = 'DEAD_LETTER' | 'KEY_FAULT'

/**
 * Keeps a verified callback that could not be read now, under its own digest: which order it belongs to is found by its task,
 * with the channel's keys, on the ladder of SETTLE_CALLBACK.
 * @returns `failed` when the ledger did not take it
 */
export async function keepForLater(
  deps: Pick<BookDeps, 'ledger' | 'policies' | 'now'>,
  unread: Omit<CallbackRecord, 'eventId'>,
  why: Why,
  at: Instant,
): Promise<BookResult> {
  const { channel } = unread
  const eventId = `sha256-${identityOf(unread).slice(0, 32)}`
  const pk = orphanPk(channel, eventId)
  const record = { ...unread, eventId }
  const bizNo = bizNoOf('SETTLE_CALLBACK', { channel, eventId })
  await recordCallback(deps.ledger, pk, record, deps.now())
  const evidence = callbackKey(pk, record)
  const requestSnapshot = { callback: evidence.sk, why }
  const task = putTask(
    { pk, bizType: 'SETTLE_CALLBACK', bizNo, channel, source: 'CALLBACK', at, requestSnapshot },
    taskContext(deps),
  )
  const result = await finish(deps, [task, setVerdict(evidence, 'parked')], 'parked')
  const taskNo = taskNoOf('SETTLE_CALLBACK', bizNo)
  if (result.kind === 'booked') log('WARN', 'A callback is kept; a task books it.', { channel, eventId, why, taskNo })
  return result
}
