import { expect } from 'vitest'
import type { ClientDeps, PayAttemptRef, QueryAnswer } from '../../modules/channels/client.ts'
import { parseOutTradeNo } from '../../modules/core/ids.ts'
import { instantOf } from '../../modules/core/instant.ts'
import { parseCurrency, parseMinorUnits } from '../../modules/core/money.ts'
import type { NetworkErrorType } from '../../modules/core/outcome.ts'
import type { HttpRequest, HttpResult } from '../../modules/outgoing/http/send-request.ts'
import { NOW_SECONDS } from './message-setup.ts'

export const NOW_MS = NOW_SECONDS * 1000
export const OUT_TRADE_NO = parseOutTradeNo('ORDER_0001') ?? expect.unreachable()

const MINUTE_MS = 60_000

/** A payAttempt of 100.00 CNY that can still be paid at NOW. */
export function aRef(changes: Partial<PayAttemptRef> = {}): PayAttemptRef {
  const currency = parseCurrency('CNY') ?? expect.unreachable()
  return {
    outTradeNo: OUT_TRADE_NO,
    money: { amount: parseMinorUnits(10000) ?? expect.unreachable(), currency },
    createdAt: instantOf(NOW_MS - 10 * MINUTE_MS),
    expiresAt: instantOf(NOW_MS + 5 * MINUTE_MS),
    ...changes,
  }
}

/** One whose expiry and grace are just over, and one to which a second of the grace is left. */
export const OVER = aRef({ expiresAt: instantOf(NOW_MS - 5 * MINUTE_MS) })
export const ALMOST_OVER = aRef({ expiresAt: instantOf(NOW_MS - 5 * MINUTE_MS + 1000) })

export function anAnswer(status: number, body: string, headers: Readonly<Record<string, string>> = {}): HttpResult {
  return { kind: 'answer', status, headers, body: Buffer.from(body) }
}

export function aFailure(networkErrorType: NetworkErrorType): HttpResult {
  return { kind: 'failure', networkErrorType }
}

export interface FakeChannel extends ClientDeps {
  readonly sent: readonly HttpRequest[]
}

/** Deps that give the listed answers one after the other, and keep what was sent. More requests than answers fail the test. */
export function answering(...results: readonly HttpResult[]): FakeChannel {
  const sent: HttpRequest[] = []
  return {
    sent,
    nowMs: () => NOW_MS,
    nonce: () => `0NCE${sent.length}`,
    http: async (request) => {
      sent.push(request)
      return results[sent.length - 1] ?? expect.unreachable('one request too many')
    },
  }
}

/** What every answer must keep to, whatever the channel said. */
export function expectSoundAnswer({ outcome, state, event }: QueryAnswer): void {
  const isNamed = outcome.code === undefined || /^[0-9A-Z_]{1,80}$/.test(outcome.code)
  expect(isNamed, `code ${outcome.code}`).toBe(true)
  expect((outcome.message ?? '').length).toBeLessThanOrEqual(200)
  if (event?.kind === 'payment') {
    expect(state).toBe('paid')
    expect(event).toMatchObject({ trust: 'fact', money: expect.anything(), channelTxnId: expect.any(String) })
    expect(event.eventId).toBe(`query/${event.channelTxnId}`)
  }
  if (state === 'paid') expect(event?.kind ?? outcome.code).toMatch(/^(payment|PAID_THEN_REFUNDED)$/)
  if (outcome.kind === 'done') expect(['paid', 'closed']).toContain(state)
  if (outcome.kind !== 'done' && outcome.kind !== 'notYet' && event === undefined) {
    expect(['unknown', 'closable']).toContain(state)
  }
}

/** Network failures, and whether the request may have arrived. */
export const FAILURES: readonly (readonly [NetworkErrorType, 'transient' | 'unknown'])[] = [
  ['connect-refused', 'transient'],
  ['connect-timeout', 'transient'],
  ['dns', 'transient'],
  ['tls', 'transient'],
  ['timeout', 'unknown'],
  ['reset', 'unknown'],
  ['body-too-large', 'unknown'],
]
