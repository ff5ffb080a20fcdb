import { finish } from '../../modules/booking/booked.ts'
import type { TakeDeps } from '../../modules/booking/take-callback.ts'
import { callbackKey, recordCallback, setVerdict } from '../../modules/ledger/callback/record-callback.ts'
import { orphanPk } from '../../modules/ledger/table/keys.ts'
import { taskNoOf } from '../../modules/ledger/table/names.ts'
import { putTask } from '../../modules/ledger/task/put-task.ts'
import { readCallbackMessage } from '../../modules/queues/callback-message.ts'
import { packRaw, putRaw } from '../../modules/raw-store/raw-store.ts'
import { addLogFields, errorFields, log } from '../../modules/runtime/telemetry/log.ts'

type SalvageDeps = Pick<TakeDeps, 'ledger' | 'raw' | 'overrides' | 'now'>

/** The ledger refused the rows of a rescued message. */
class SalvageError extends Error {
  override readonly name = 'SalvageError'
  readonly code = 'SALVAGE'
}

/**
 * Brings a message that `settle` could not take into the ledger, else into the bucket; only then may it leave the queue.
 * @throws when neither took it: the message stays
 * Source: docs/design/flows.md, Callback
 */
export async function salvageMessage(deps: SalvageDeps, messageId: string, body: string): Promise<void> {
  addLogFields({ messageId })
  try {
    await intoLedger(deps, body)
  } catch (error) {
    log('ERROR', 'A dead callback message goes to the bucket: the ledger did not take it.', {
      messageId,
      ...errorFields(error),
    })
    await putRaw(deps.raw, `salvage/${messageId}.json`, Buffer.from(body, 'utf8'))
  }
}

/** Under its own digest: which order it belongs to is found by the task, with the channel's keys. */
async function intoLedger(deps: SalvageDeps, message: string): Promise<void> {
  const { verified, bodySha256 } = readCallbackMessage(message)
  const { channel, receivedAt, keyId, headers, body } = verified
  const eventId = `sha256-${bodySha256.slice(0, 32)}`
  const pk = orphanPk(channel, eventId)
  const raw = await packRaw(deps.raw, { channel, receivedAt, body, sha256: bodySha256 })
  const record = { channel, receivedAt, keyId, headers, bodySha256, raw, eventId }
  await recordCallback(deps.ledger, pk, record, deps.now())
  const evidence = callbackKey(pk, record)
  const task = putTask(
    {
      pk,
      bizType: 'SETTLE_CALLBACK',
      bizNo: `${channel}/${eventId}`,
      channel,
      source: 'CALLBACK',
      at: deps.now(),
      requestSnapshot: { callback: evidence.sk, why: 'DEAD_LETTER' },
    },
    deps.overrides,
    deps.now(),
  )
  const result = await finish(deps, [task, setVerdict(evidence, 'parked')], 'parked')
  if (result.kind !== 'booked') throw new SalvageError('The ledger refused a rescued message; the bucket keeps it.')
  log('WARN', 'A dead callback message is in the ledger; a task books it.', {
    channel,
    eventId,
    taskNo: taskNoOf('SETTLE_CALLBACK', `${channel}/${eventId}`),
  })
}
