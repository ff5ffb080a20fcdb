import { expect, it } from 'vitest'
import { encodeGbk } from '../../../../local/world/channels/alipay/gbk.ts'
import { makeAlipayKeys, openAlipayProtocol } from '../../../../local/world/channels/alipay/protocol.ts'
import { decodeForm, parseForm } from '../../../../modules/channels/alipay/form.ts'
import { parserOf } from '../../../../modules/channels/parsers.ts'
import { verifierOf } from '../../../../modules/channels/verifiers.ts'
import { instantOf } from '../../../../modules/core/instant.ts'
import { ACCOUNTS } from './accounts.ts'

const NOW_MS = Date.UTC(2026, 10, 2, 2)

it('a notice in GBK is signed over GBK bytes', async () => {
  const account = ACCOUNTS['alipay'] ?? expect.unreachable()
  if (account.kind !== 'alipay') return expect.unreachable()
  const protocol = openAlipayProtocol(account, await makeAlipayKeys(), 'gbk')
  const payment = {
    id: 1,
    outTradeNo: 'ORDER_0001',
    channelTxnId: '2026110222001000000000000001',
    status: 'paid',
    amount: 8800,
    currency: 'CNY',
    createdAt: NOW_MS,
    paidAt: NOW_MS,
  } as const
  const content = protocol.describe('paid', payment, 'notify-1', NOW_MS) ?? expect.unreachable()

  const { headers, body } = protocol.encode(content, 'notify-1', NOW_MS, undefined)

  const request = { headers, body: Buffer.from(body) }
  const verification = verifierOf(account).openKeys(protocol.secret)(request, instantOf(NOW_MS))
  if (!verification.ok) return expect.unreachable(verification.reason)
  const parsed = parserOf(account).openKeys(protocol.secret)(verification.verified)
  const values = decodeForm(parseForm(request.body) ?? expect.unreachable())
  expect(headers['content-type']).toContain('charset=gbk')
  expect(parsed).toMatchObject({ ok: true, events: [{ kind: 'payment', money: { amount: 8800 } }] })
  expect(values?.get('subject')).toBe('订单 ORDER_0001')
})

it('a text survives GBK, and what GBK lacks becomes a question mark', () => {
  const decoder = new TextDecoder('gbk', { fatal: true })

  expect(decoder.decode(encodeGbk('支付宝 A+B & 100%，鷄'))).toBe('支付宝 A+B & 100%，鷄')
  expect(decoder.decode(encodeGbk('a😀b'))).toBe('a?b')
})
