import { expect } from 'vitest'
import type { CallbackRequest, Parsed, Verification, VerifiedCallback } from '../../modules/channels/channel.ts'
import type { ChannelEvent } from '../../modules/core/channel-event.ts'
import { parseChannelId } from '../../modules/core/ids.ts'
import { type Instant, instantOf } from '../../modules/core/instant.ts'

export const CHANNEL = parseChannelId('under-test') ?? expect.unreachable()
/** 2026-11-02T02:00:00Z */
export const NOW_SECONDS = 1_793_584_800
export const NOW: Instant = instantOf(NOW_SECONDS * 1000)

export function requestOf(headers: Readonly<Record<string, string>>, body: string | Buffer): CallbackRequest {
  return { headers, body: Buffer.from(body) }
}

export function verifiedOf(verification: Verification): VerifiedCallback {
  return verification.ok ? verification.verified : expect.unreachable(`refused: ${verification.reason}`)
}

/** All events of a notice that could be read. */
export function eventsOf(parsed: Parsed): readonly ChannelEvent[] {
  if (!parsed.ok) return expect.unreachable(`unreadable: ${parsed.field} ${parsed.problem}`)
  expect(parsed.unreadable).toBeUndefined()
  return parsed.events
}

/** The only event of a notice that could be read. */
export function eventOf(parsed: Parsed): ChannelEvent {
  const events = eventsOf(parsed)
  expect(events).toHaveLength(1)
  return events[0] ?? expect.unreachable()
}

/** Whether an id can stand between two `#` of a key. */
export const KEY_SAFE = /^[\x21\x22\x24-\x7e]{1,128}$/

/** What every parse must keep to, whatever the bytes were. */
export function expectSound(parsed: Parsed): void {
  if (!parsed.ok) {
    expect(parsed.eventId).toMatch(KEY_SAFE)
    expect(parsed.field).not.toBe('')
    return
  }
  for (const event of parsed.events) {
    expect(event.eventId).toMatch(KEY_SAFE)
    for (const id of [event.channelTxnId, event.outTradeNo, event.refundNo, event.channelRefundId]) {
      if (id !== undefined) expect(id).toMatch(KEY_SAFE)
    }
    if (event.money !== undefined) expect(Number.isSafeInteger(event.money.amount)).toBe(true)
    if (event.kind === 'unknown') expect(event.code).toMatch(/^[\x21\x22\x24-\x7e]{1,64}$/)
    if (event.trust === 'hint') continue
    if (event.kind === 'payment')
      expect(event).toMatchObject({ channelTxnId: expect.any(String), money: expect.anything() })
    if (event.undo !== undefined) expect(event).toMatchObject({ channelTxnId: expect.any(String) })
    const { form, state, money } = event.undo ?? {}
    if ((form === 'one' && state !== 'pending') || form === 'sum') expect(money).toBeDefined()
  }
}

/** `bytes` with another value at one place. */
export function withOtherByte(bytes: Buffer, position: number, change: number): Buffer {
  const altered = Buffer.from(bytes)
  const index = position % altered.length
  altered[index] = (altered[index] ?? 0) ^ ((change % 255) + 1)
  return altered
}
