import { proveVerified } from '../../channels/channel.ts'
import type { Parse } from '../../channels/parsers.ts'
import type { ChannelEvent } from '../../core/channel-event.ts'
import type { ChannelId } from '../../core/ids.ts'
import type { Outcome } from '../../core/outcome.ts'
import type { Key } from '../../ledger/keys.ts'
import { locateOrder } from '../../ledger/locate-order.ts'
import { readRows } from '../../ledger/queries.ts'
import type { CallbackRow, TaskRow, Verdict } from '../../ledger/rows.ts'
import { unpackRaw } from '../../raw-store/raw-store.ts'
import { countVerdict } from '../../settlement/count-verdict.ts'
import { recordOrphan } from '../../settlement/record-orphan.ts'
import { settleEvent } from '../../settlement/settle-event.ts'
import type { SettleResult } from '../../settlement/settle-result.ts'
import { keepUnreadable, type TakeDeps } from '../../settlement/take-callback.ts'
import { errorFields, log } from '../../telemetry/log.ts'
import type { Execution, Look, TaskHandler, TaskView } from '../task-handler.ts'

/** How a channel's kept callback is read again. */
export type ParserFor = (channel: ChannelId) => Promise<Parse>

/**
 * SETTLE_CALLBACK: settles a kept callback again, from its own bytes. When no order came in all its time, the money is recorded as
 * ORPHAN with a ticket: recorded is this task's success.
 * Source: design.md section 5, decision table row 3
 */
export function settleCallbackHandler(deps: TakeDeps, parserFor: ParserFor): TaskHandler {
  return {
    load: async (ledger, task) => (await readRows(ledger, [callbackKeyOf(task)])).filter((row) => row !== undefined),
    look: lookAtCallback,
    call: (view) => settleKept(deps, parserFor, view),
  }
}

function lookAtCallback({ task, rows }: TaskView): Look {
  const callback = rows.find((row) => row.et === 'CALLBACK')
  if (callback === undefined) {
    return { kind: 'escalate', reason: 'CALLBACK_MISSING', message: 'The kept callback of this task is gone.' }
  }
  if (!OPEN_VERDICTS.has(callback.verdict)) {
    return { kind: 'moot', status: 'SUCCESS', reason: `CALLBACK_${callback.verdict.toUpperCase()}` }
  }
  return { kind: 'go', target: 'ledger', idempotencyKey: task.idempotencyKey }
}

/** An orphan is decided afresh when its order has come. */
const OPEN_VERDICTS: ReadonlySet<Verdict> = new Set<Verdict>(['received', 'parked', 'orphan'])

function callbackKeyOf(task: TaskRow): Key {
  return { pk: task.pk, sk: String(task.requestSnapshot?.['callback']) }
}

async function settleKept(deps: TakeDeps, parserFor: ParserFor, { task, rows, now }: TaskView): Promise<Execution> {
  const callback = rows.find((row) => row.et === 'CALLBACK')
  if (callback === undefined) return failed('CALLBACK_MISSING', 'The kept callback of this task is gone.')
  try {
    const events = await readEvents(deps, parserFor, callback, task)
    if (events === 'unreadable') return { outcome: { kind: 'done', code: 'UNREADABLE' } }
    const isLast = now >= task.deadlineAt
    const results: SettleResult[] = []
    for (const event of events) results.push(await settleOne(deps, event, callbackKeyOf(task), isLast))
    return { outcome: outcomeOf(results) }
  } catch (error) {
    log('ERROR', 'A kept callback could not be settled now.', { taskNo: task.taskNo, ...errorFields(error) })
    return failed('LEDGER_UNAVAILABLE', 'A service did not answer; the task tries again.')
  }
}

/** The events that the task is about: one of them, or all where the task names none (a rescued message). */
async function readEvents(
  deps: TakeDeps,
  parserFor: ParserFor,
  callback: CallbackRow,
  task: TaskRow,
): Promise<readonly ChannelEvent[] | 'unreadable'> {
  const parse = await parserFor(callback.channel)
  const { channel, receivedAt, keyId, headers, bodySha256 } = callback
  const body = await unpackRaw(deps.raw, callback)
  const parsed = parse(proveVerified({ channel, receivedAt, keyId, headers, body }))
  if (!parsed.ok) {
    const raw = callback.rawKey === undefined ? { gzip: callback.raw ?? new Uint8Array() } : { s3Key: callback.rawKey }
    await keepUnreadable(
      deps,
      { channel, receivedAt, keyId, headers, bodySha256, raw, eventId: parsed.eventId },
      parsed,
    )
    return 'unreadable'
  }
  const eventId = task.requestSnapshot?.['eventId']
  return eventId === undefined ? parsed.events : parsed.events.filter((event) => event.eventId === eventId)
}

async function settleOne(deps: TakeDeps, event: ChannelEvent, evidence: Key, isLast: boolean): Promise<SettleResult> {
  const location = await locateOrder(deps.ledger, event)
  const input = { location, event, evidence, operatorType: 'CALLBACK' as const }
  const result = await settleEvent(deps, input)
  const final = result.kind === 'orderUnknown' && isLast ? await recordOrphan(deps, input) : result
  if (final.kind === 'settled') countVerdict(event.channel, final.verdict)
  return final
}

function outcomeOf(results: readonly SettleResult[]): Outcome {
  const failure = results.find((result) => result.kind === 'failed')
  if (failure !== undefined) return { kind: 'transient', code: failure.code, message: failure.message }
  if (results.some((result) => result.kind === 'orderUnknown')) return { kind: 'notYet', code: 'ORDER_UNKNOWN' }
  return { kind: 'done' }
}

function failed(code: string, message: string): Execution {
  return { outcome: { kind: 'transient', code, message } }
}
