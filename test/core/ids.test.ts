import { describe, expect, it } from 'vitest'
import {
  parseChannelId,
  parseChannelTxnId,
  parseOrderNo,
  parseOutTradeNo,
  parseRefundNo,
  parseSku,
  parseTaskNo,
} from '../../modules/core/ids.ts'

const all = [parseOrderNo, parseOutTradeNo, parseChannelId, parseChannelTxnId, parseTaskNo, parseRefundNo, parseSku]

describe('numbers that stand in keys', () => {
  it.each([
    [parseOrderNo, 'ORDER_0001'],
    [parseOutTradeNo, 'ORDER_0001*|@.:-2'],
    [parseChannelId, 'stripe-eu'],
    [parseChannelTxnId, 'pi_3Nx/+=&'],
    [parseTaskNo, 'A'.repeat(26)],
    [parseRefundNo, `R${'2'.repeat(25)}`],
    [parseSku, 'sku-1.a'],
  ])('%o takes %s as it is', (parse, text) => {
    expect(parse(text)).toBe(text)
  })

  it.each([
    '',
    'a#b#c#d',
    'abc def',
    'abcdef\n',
    '\nabcdef',
    '订单订单订单',
    'a'.repeat(129),
    'abc\u0000def',
    'é123456',
  ])('no kind of number is %j', (text) => {
    expect(all.map((parse) => parse(text))).toEqual(all.map(() => undefined))
  })

  it('each kind keeps its own limits', () => {
    expect(parseOrderNo('12345')).toBeUndefined()
    expect(parseOrderNo('1'.repeat(33))).toBeUndefined()
    expect(parseOutTradeNo('1'.repeat(81))).toBeUndefined()
    expect(parseChannelId('Stripe')).toBeUndefined()
    expect(parseTaskNo('a'.repeat(26))).toBeUndefined()
    expect(parseTaskNo('1'.repeat(26))).toBeUndefined()
    expect(parseRefundNo('A'.repeat(26))).toBeUndefined()
  })
})

it.each([parseOutTradeNo, parseChannelTxnId])('one or two dots are a step in a path, and no number (%#)', (parse) => {
  expect(parse('.')).toBeUndefined()
  expect(parse('..')).toBeUndefined()
  for (const number of ['...', '.a', 'a.', '..a', 'a..', '1.2']) expect(parse(number)).toBe(number)
})
