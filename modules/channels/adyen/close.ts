import type { Outcome } from '../../core/outcome.ts'
import { outcomeOfFailure } from '../../outgoing/http/outcome-of-failure.ts'
import type { HttpAnswer } from '../../outgoing/http/send-request.ts'
import type { AdyenAccount } from '../account.ts'
import { keyMissing, noAnswer, waitOutExpiry } from '../answers.ts'
import { apiUrl } from '../api-url.ts'
import type { ClosePayment } from '../client.ts'
import { type JsonObject, parseJsonObject } from '../json.ts'
import { judgementOf, outcomeOfRefusal } from '../refusal.ts'
import type { AdyenKeys } from './keys.ts'
import { ADYEN_ERROR_TYPES, ADYEN_STATUSES, ADYEN_TWIN } from './states.ts'

const TEST_BASE = 'https://checkout-test.adyen.com'
const PATH = '/v71/cancels'

/**
 * Cancels by our own number (technical cancel), since the payment's number may never have reached us. Adyen only says that it
 * has heard; what became of it comes by webhook (TECHNICAL_CANCEL), so the answer is `notYet`, and the ledger may close after
 * expiry plus grace.
 * Source: docs/channels/adyen.md, Close
 */
export const closeAdyen: ClosePayment<AdyenAccount, AdyenKeys> = async (ref, account, keys, deps) => {
  if (keys.apiKey === undefined) return keyMissing('apiKey')
  const base = account.apiBase ?? (account.live ? undefined : TEST_BASE)
  if (base === undefined) {
    const message = "A live Adyen account has an address of its own: set the channel's apiBase."
    return noAnswer({ kind: 'misconfigured', code: 'API_BASE_MISSING', message })
  }
  const result = await deps.http({
    method: 'POST',
    url: apiUrl(base, PATH),
    headers: {
      'x-api-key': keys.apiKey,
      'content-type': 'application/json',
      'user-agent': 'backstop/1',
      // A new key each time: an old one would only bring back the first "received". Cancelling twice is harmless.
      'idempotency-key': deps.nonce(),
    },
    body: JSON.stringify({
      merchantAccount: account.merchantAccounts[0],
      paymentReference: ref.outTradeNo,
      // Comes back as the webhook's merchantReference, by which the payAttempt is found.
      reference: ref.outTradeNo,
    }),
  })
  if (result.kind === 'failure') return noAnswer(outcomeOfFailure(result.networkErrorType))
  const body = parseJsonObject(result.body)
  if (result.status === 201 && body?.['status'] === 'received') {
    return waitOutExpiry(ref, deps.nowMs(), 'CANCEL_RECEIVED')
  }
  return noAnswer(outcomeOfError(result, body ?? {}, deps.nowMs()))
}

function outcomeOfError(answer: HttpAnswer, { errorCode, errorType, message }: JsonObject, nowMs: number): Outcome {
  const type = typeof errorType === 'string' ? errorType : undefined
  const text = typeof message === 'string' ? message : undefined
  const outcome = outcomeOfRefusal(answer, { code: type, message: text }, ADYEN_ERROR_TYPES, {
    call: 'act',
    nowMs: nowMs,
  })
  const code = typeof errorCode === 'string' ? `ADYEN_${errorCode.replaceAll(/\W/g, '').slice(0, 16)}` : outcome.code
  const named: Outcome = { ...outcome, ...(code !== undefined && { code }) }
  if (errorCode === ADYEN_TWIN) return { ...named, kind: 'notYet' }
  if (answer.headers['transient-error'] === 'true') return { ...named, kind: 'transient' }
  const meaning = outcome.kind === 'unknown' ? ADYEN_STATUSES.get(answer.status) : undefined
  return meaning === undefined ? named : { ...named, ...judgementOf(meaning) }
}
