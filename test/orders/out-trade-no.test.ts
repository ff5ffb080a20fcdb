import { describe, expect, it } from 'vitest'
import { checkOutTradeNo } from '../../functions/orders/out-trade-no.ts'
import type { ChannelAccount } from '../../modules/channels/account.ts'
import { ProblemError } from '../../modules/http-api/problem.ts'
import { anOutTradeNo } from '../support/core-builders.ts'

type Case = [ChannelAccount['kind'], string]

describe('a number of a payment', () => {
  const taken: Case[] = [
    ['alipay', 'x'.repeat(64)],
    ['wechatpay', 'a-*|_1'],
    ['adyen', `a.b@c|d*${'x'.repeat(72)}`],
    ['paypal', 'a:b'],
    ['stripe', 'x'.repeat(80)],
    ['standard-webhooks', '1'],
  ]
  it.each(taken)('is taken by %s: %s', (kind, text) => {
    expect(() => checkOutTradeNo({ kind }, anOutTradeNo(text))).not.toThrow()
  })

  const refused: Case[] = [
    ['alipay', 'x'.repeat(65)],
    ['alipay', 'a-b'],
    ['wechatpay', 'short'],
    ['wechatpay', 'x'.repeat(33)],
    ['wechatpay', 'ab@cdef'],
    // It would stand unescaped among the fields that Adyen signs, joined by colons.
    ['adyen', 'a:b'],
  ]
  it.each(refused)('is refused for %s: %s', (kind, text) => {
    expect(() => checkOutTradeNo({ kind }, anOutTradeNo(text))).toThrow(ProblemError)
  })
})
