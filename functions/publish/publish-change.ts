import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { type Instant, plusMs } from '../../modules/core/instant.ts'
import { republishDelayMs } from '../../modules/core/republish.ts'
import { markUnpublished, unmarkPublished } from '../../modules/ledger/notice/mark-journal.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import { errorFields, log } from '../../modules/runtime/telemetry/log.ts'
import { emitMetric } from '../../modules/runtime/telemetry/metrics.ts'
import type { OrderChange } from './read-journal.ts'

/** What publish sends with, and where it marks what could not be sent. */
export interface PublishDeps {
  readonly bus: EventBridgeClient
  readonly busName: string
  readonly ledger: Ledger
  readonly now: () => Instant
}

/** EventBridge answered 200 and yet did not take the event: only an entry with an id is published. */
export class EventNotTakenError extends Error {
  override readonly name = 'EventNotTakenError'
  readonly code = 'EVENT_NOT_TAKEN'
}

/**
 * Tells the bus of one change. A change that the bus does not take is marked in its journal row and counts as handled: the sweep
 * asks for it again, and the changes behind it wait for nobody.
 * @throws when the row could not be marked either, and carries no mark from before: the record has to come again
 * Source: ADR 0013
 */
export async function publishChange(deps: PublishDeps, change: OrderChange): Promise<void> {
  try {
    await putEvent(deps, change)
  } catch (error) {
    await keepForLater(deps, change, error)
    return
  }
  if (change.wake !== undefined) await takeMarkOff(deps, change, change.wake)
}

async function putEvent({ bus, busName }: PublishDeps, { detailType, detail }: OrderChange): Promise<void> {
  const answer = await bus.send(
    new PutEventsCommand({
      Entries: [{ EventBusName: busName, Source: 'backstop', DetailType: detailType, Detail: JSON.stringify(detail) }],
    }),
  )
  const taken = answer.Entries?.[0]
  if (taken?.EventId === undefined) {
    throw new EventNotTakenError(`The bus gave an event no id: ${taken?.ErrorCode ?? 'NO_ENTRY'}. It is sent again.`)
  }
}

async function keepForLater({ ledger, now }: PublishDeps, change: OrderChange, error: unknown): Promise<void> {
  const failures = change.failures + 1
  const at = now()
  const dueAt = plusMs(at, republishDelayMs(failures))
  const { id, orderNo } = change.detail
  const fields = { orderNo, change: id, failures, dueAt, ...errorFields(error) }
  // The first time may be a moment's trouble, which the next try a minute later repairs.
  if (failures > 1) emitMetric('DispatchFailed')
  log(failures > 1 ? 'ERROR' : 'WARN', 'The bus did not take a change; its row is marked for the sweep.', fields)
  try {
    await markUnpublished(ledger, change, dueAt, at)
  } catch (cause) {
    if (change.wake === undefined) throw cause
    log('ERROR', 'A row could not be marked anew; its old mark brings it back.', { orderNo, ...errorFields(cause) })
  }
}

async function takeMarkOff({ ledger, now }: PublishDeps, change: OrderChange, wake: Instant): Promise<void> {
  try {
    await unmarkPublished(ledger, change.key, wake, now())
  } catch (error) {
    const { id, orderNo } = change.detail
    const message = 'A published change keeps its mark and is sent once more; receivers know it by its id.'
    log('WARN', message, { orderNo, change: id, ...errorFields(error) })
  }
}
