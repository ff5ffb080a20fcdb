import { keepForLater } from '../../modules/booking/keep-for-later.ts'
import type { TakeDeps } from '../../modules/booking/take-callback.ts'
import { readCallbackMessage } from '../../modules/queues/callback-message.ts'
import { packRaw, putRaw } from '../../modules/raw-store/raw-store.ts'
import { addLogFields, errorFields, log } from '../../modules/runtime/telemetry/log.ts'

type SalvageDeps = Pick<TakeDeps, 'ledger' | 'raw' | 'policies' | 'now'>

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

async function intoLedger(deps: SalvageDeps, message: string): Promise<void> {
  const { verified, bodySha256 } = readCallbackMessage(message)
  const { channel, receivedAt, keyId, headers, body, identity } = verified
  const raw = await packRaw(deps.raw, { channel, receivedAt, body, sha256: bodySha256 })
  const record = { channel, receivedAt, keyId, headers, bodySha256, identity, raw }
  const { kind } = await keepForLater(deps, record, 'DEAD_LETTER', deps.now())
  if (kind !== 'booked') throw new SalvageError('The ledger refused a rescued message; the bucket keeps it.')
}
