import { describe, expect, it } from 'vitest'
import { eventOf } from '../message-setup.ts'
import { anEvent, parse } from './signed-event.ts'

const REFUND_NO = `R${'A2'.repeat(12)}B`
const AT = '2026-11-02T01:59:57.000Z'
const MONEY = { amount: 1000, currency: 'CNY' }
const ON_INTENT = { payment_intent: 'pi_1', charge: 'ch_1', amount: 1000, currency: 'cny', metadata: {} }
const REFUND = { ...ON_INTENT, id: 're_1', object: 'refund', status: 'succeeded', metadata: { refund_no: REFUND_NO } }
const DISPUTE = {
  ...ON_INTENT,
  id: 'du_1',
  object: 'dispute',
  status: 'needs_response',
  evidence_details: { due_by: 1_793_671_200 },
}
const CHARGE = { ...ON_INTENT, id: 'ch_1', object: 'charge', amount: 8800, amount_refunded: 1000 }

it('a charge tells the sum of all that went back', () => {
  const event = eventOf(parse(anEvent('charge.refunded', CHARGE)))

  expect(event).toMatchObject({ kind: 'refund', channelTxnId: 'pi_1', trust: 'fact' })
  expect(event.undo).toEqual({ form: 'sum', state: 'done', money: MONEY, at: AT })
})

describe('each notice of one refund names the same movement', () => {
  it.each([
    ['refund.created', 'pending', 'pending'],
    ['refund.created', 'requires_action', 'pending'],
    ['refund.updated', 'succeeded', 'done'],
    ['charge.refund.updated', 'succeeded', 'done'],
    ['refund.updated', 'canceled', 'failed'],
    ['refund.failed', 'failed', 'failed'],
    ['refund.failed', undefined, 'failed'],
  ])('%s with status %s is %s', (type, status, state) => {
    const event = eventOf(parse(anEvent(type, { ...REFUND, status })))

    expect(event).toMatchObject({ kind: 'refund', channelTxnId: 'pi_1', refundNo: REFUND_NO })
    expect(event.undo).toEqual({ form: 'one', state, id: 're_1', money: MONEY, at: AT })
  })
})

describe('a dispute tells what it moved, and by when to answer', () => {
  const withdrawn = [{ amount: -1000 }]
  const reinstated = [{ amount: -1000 }, { amount: 1000 }]
  it.each([
    ['charge.dispute.created', {}, 'pending', 1000],
    ['charge.dispute.created', { status: 'warning_needs_response' }, 'pending', 0],
    ['charge.dispute.updated', { status: 'under_review' }, 'pending', 1000],
    ['charge.dispute.updated', { status: 'under_review', balance_transactions: withdrawn }, 'done', 1000],
    ['charge.dispute.updated', { status: 'under_review', balance_transactions: reinstated }, 'pending', 1000],
    ['charge.dispute.funds_withdrawn', {}, 'done', 1000],
    ['charge.dispute.funds_reinstated', {}, 'reversed', 1000],
    ['charge.dispute.closed', { status: 'won' }, 'reversed', 1000],
    ['charge.dispute.closed', { status: 'lost' }, 'done', 1000],
    ['charge.dispute.closed', { status: 'warning_closed' }, 'failed', 0],
  ])('%s of %j is %s', (type, changes, state, amount) => {
    const event = eventOf(parse(anEvent(type, { ...DISPUTE, ...changes })))

    expect(event).toMatchObject({ kind: 'dispute', channelTxnId: 'pi_1' })
    expect(event.undo).toEqual({
      form: 'one',
      state,
      id: 'du_1',
      money: { ...MONEY, amount },
      at: AT,
      dueAt: '2026-11-03T02:00:00.000Z',
    })
  })
})

describe('what names no intent is found by its charge', () => {
  it.each([
    ['refund.created', REFUND],
    ['charge.dispute.created', DISPUTE],
    ['charge.refunded', CHARGE],
    ['refund.created', { ...REFUND, charge: { id: 'ch_1', object: 'charge' } }],
  ])('%s is a hint at ch_1', (type, object) => {
    const event = eventOf(parse(anEvent(type, { ...object, payment_intent: null })))

    expect(event).toMatchObject({ trust: 'hint', channelTxnId: 'ch_1' })
  })
})

it.each(['refund.created', 'charge.dispute.created'])(
  '%s of a newer API version may hold the intent itself',
  (type) => {
    const object = type.startsWith('refund') ? REFUND : DISPUTE

    const event = eventOf(parse(anEvent(type, { ...object, payment_intent: { id: 'pi_1', object: 'payment_intent' } })))

    expect(event).toMatchObject({ trust: 'fact', channelTxnId: 'pi_1' })
  },
)

it.each([
  ['refund.updated', { ...REFUND, status: 'brand_new' }, 'refund.updated/brand_new'],
  ['refund.created', { ...REFUND, status: null }, 'refund.created/STATUS_MISSING'],
  ['charge.dispute.closed', { ...DISPUTE, status: 'brand_new' }, 'charge.dispute.closed/brand_new'],
])('%s of a state that no table knows is unknown under its name', (type, object, code) => {
  expect(eventOf(parse(anEvent(type, object)))).toMatchObject({ kind: 'unknown', code, channelTxnId: 'pi_1' })
})

it.each([-1, '1000', 10.5, null])('an amount of %s is unreadable, with the numbers that could be read', (amount) => {
  expect(parse(anEvent('refund.created', { ...REFUND, amount }))).toMatchObject({
    ok: false,
    field: 'data.object.amount',
    channelTxnId: 'pi_1',
    isMoney: false,
  })
})
