import { describe, expect, it } from 'vitest'
import { aRef } from '../client-setup.ts'
import { eventOf } from '../message-setup.ts'
import { query, signedAnswer, transaction } from './signed-answer.ts'
import { parse, REFUND, TRANSACTION } from './signed-notice.ts'

const ONE = { form: 'one', id: REFUND.refund_id, money: { amount: 1000, currency: 'CNY' } }

describe('a refund', () => {
  it.each([
    ['REFUND.SUCCESS', 'SUCCESS', 'done'],
    ['REFUND.ABNORMAL', 'ABNORMAL', 'failed'],
    ['REFUND.CLOSED', 'CLOSED', 'failed'],
    ['REFUND.SUCCESS', 'PROCESSING', 'pending'],
    ['REFUND.SUCCESS', 'CLOSED', 'failed'],
    ['REFUND.CLOSED', 'SUCCESS', 'done'],
  ])('by %s with %s is one movement that is %s there: the status counts', (type, refund_status, state) => {
    const event = eventOf(parse(type, { ...REFUND, refund_status }))

    expect(event).toMatchObject({
      kind: 'refund',
      channelTxnId: TRANSACTION.transaction_id,
      refundNo: REFUND.out_refund_no,
      undo: { ...ONE, state, at: '2026-11-02T01:59:57.000Z' },
    })
    expect(event.code).toBe(`REFUND.${refund_status}`)
  })

  it.each([`${REFUND.out_refund_no}-1`, `${REFUND.out_refund_no}-10`])(
    'that we sent as %s is ours',
    (out_refund_no) => {
      expect(eventOf(parse('REFUND.SUCCESS', { ...REFUND, out_refund_no })).refundNo).toBe(REFUND.out_refund_no)
    },
  )

  it.each([
    ['an amount that is no whole number', { amount: { refund: 1.5 } }],
    ['no amount', { amount: undefined }],
    ['a currency that WeChat Pay does not pay in', { amount: { refund: 1000, currency: 'USD' } }],
    ['no number', { refund_id: undefined }],
  ])('with %s has gone back by an unknown amount', (_what, change) => {
    const event = eventOf(parse('REFUND.SUCCESS', { ...REFUND, ...change }))

    expect(event).toMatchObject({ kind: 'refund', undo: { form: 'amountUnknown', state: 'done' } })
    expect(event.undo?.money).toBeUndefined()
  })

  it.each(['FOO', '', undefined])('of the status %j is unknown, by its word', (refund_status) => {
    const event = eventOf(parse('REFUND.SUCCESS', { ...REFUND, refund_status }))

    expect(event).toMatchObject({
      kind: 'unknown',
      code: expect.stringMatching(/^REFUND/),
      refundNo: REFUND.out_refund_no,
    })
    expect(event.undo).toBeUndefined()
  })
})

describe('a transaction that was paid once', () => {
  it('REVOKED has lost all of its money, in a notice and in an answer', async () => {
    const all = { kind: 'closed', channelTxnId: TRANSACTION.transaction_id, undo: { form: 'all', state: 'done' } }

    const told = eventOf(parse('TRANSACTION.SUCCESS', { ...TRANSACTION, trade_state: 'REVOKED' }))
    const answer = await query(aRef(), signedAnswer(200, transaction({ trade_state: 'REVOKED' })))

    expect(told).toMatchObject({ ...all, outTradeNo: 'ORDER_0001' })
    expect(answer).toMatchObject({ state: 'closed', event: { ...all, outTradeNo: 'ORDER_0001' } })
  })

  it('REVOKED without a transaction was never paid: only its try ends', async () => {
    const unpaid = { trade_state: 'REVOKED', transaction_id: undefined }

    const told = eventOf(parse('TRANSACTION.SUCCESS', { ...TRANSACTION, ...unpaid }))
    const answer = await query(aRef(), signedAnswer(200, transaction(unpaid)))

    for (const event of [told, answer.event]) {
      expect(event).toMatchObject({ kind: 'closed', outTradeNo: 'ORDER_0001' })
      expect(event?.undo).toBeUndefined()
    }
  })

  it('REFUND has gone back by an amount that is not told', () => {
    expect(eventOf(parse('TRANSACTION.SUCCESS', { ...TRANSACTION, trade_state: 'REFUND' }))).toMatchObject({
      kind: 'refund',
      channelTxnId: TRANSACTION.transaction_id,
      undo: { form: 'amountUnknown', state: 'done' },
    })
  })
})

describe('no money is no payment', () => {
  it('a transaction over nothing is recorded, and nothing else', () => {
    const event = eventOf(parse('TRANSACTION.SUCCESS', { ...TRANSACTION, amount: { total: 0, currency: 'CNY' } }))

    expect(event).toMatchObject({ kind: 'other', code: 'AMOUNT_0' })
    expect(event.money).toBeUndefined()
  })
})

describe('what cannot be read costs no more than itself', () => {
  it.each(['2026-11-02T09:59:60+08:00', '2026-11-02 09:59:57', '', 7])(
    'a payment at %j has no time',
    (success_time) => {
      const event = eventOf(parse('TRANSACTION.SUCCESS', { ...TRANSACTION, success_time }))

      expect(event).toMatchObject({ kind: 'payment', money: { amount: 10000 } })
      expect(event.paidAt).toBeUndefined()
    },
  )

  it('an amount that is a text keeps the numbers of its payment', () => {
    expect(parse('TRANSACTION.SUCCESS', { ...TRANSACTION, amount: { total: '10000', currency: 'CNY' } })).toMatchObject(
      {
        ok: false,
        field: 'amount.total',
        outTradeNo: 'ORDER_0001',
        channelTxnId: TRANSACTION.transaction_id,
        isMoney: true,
      },
    )
  })

  it.each(['user 42 / cart', undefined])('a number %j that none of ours can be is left out', (out_trade_no) => {
    const event = eventOf(parse('TRANSACTION.SUCCESS', { ...TRANSACTION, out_trade_no }))

    expect(event).toMatchObject({ kind: 'payment', channelTxnId: TRANSACTION.transaction_id })
    expect(event.outTradeNo).toBeUndefined()
  })
})

describe('what no table knows', () => {
  it.each([
    ['REFUND.FOO', {}, 'REFUND.FOO'],
    ['TRANSACTION.FOO', {}, 'TRANSACTION.FOO'],
    ['NEW EVENT', {}, 'NEW_EVENT'],
    ['transaction.success', {}, 'transaction.success'],
    ['TRANSACTION.SUCCESS', { trade_state: 'FOO' }, 'TRANSACTION.SUCCESS/FOO'],
    ['TRANSACTION.SUCCESS', { trade_state: undefined }, 'TRANSACTION.SUCCESS/STATE_MISSING'],
  ])('%s with %j is unknown, by its word', (type, change, code) => {
    expect(eventOf(parse(type, { ...TRANSACTION, ...change }))).toMatchObject({
      kind: 'unknown',
      code,
      outTradeNo: 'ORDER_0001',
    })
  })

  it.each(['COUPON.USE', 'TRANSACTION.FAIL', 'COMPLAINT.CREATE', 'PAYSCORE.USER_PAID'])(
    'while %s is known, and recorded',
    (type) => {
      expect(eventOf(parse(type, { id: 'of another product' }))).toMatchObject({ kind: 'other', code: type })
    },
  )
})
