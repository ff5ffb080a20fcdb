import { sign } from 'node:crypto'
import { expect, it } from 'vitest'
import { encodeText } from '../../../local/world/channels/alipay/form.ts'
import { aRef, OVER } from '../client-setup.ts'
import { ALIPAY, close, query, TRADE } from './signed-answer.ts'

const GBK = { 'content-type': 'text/html;charset=GBK' }

/** An answer in GBK, signed over its GBK bytes. */
function inGbk(method: 'query' | 'close', content: object, headers: Readonly<Record<string, string>> = GBK) {
  const inner = encodeText(JSON.stringify(content), 'gbk')
  const signature = sign('sha256', inner, ALIPAY.privateKey).toString('base64')
  const body = Buffer.concat([
    Buffer.from(`{"alipay_trade_${method}_response":`),
    inner,
    Buffer.from(`,"sign":"${signature}"}`),
  ])
  return { kind: 'answer', status: 200, headers, body } as const
}

const PAID = { ...TRADE, subject: '誠珅（测试）', buyer_logon_id: '张*' }

it.each([
  ['that says so', GBK],
  ['in capitals and quotes', { 'content-type': 'application/json; Charset="GB18030"' }],
  ['that does not say so', {}],
])('a paid trade in an answer in GBK %s is paid', async (_how, headers) => {
  expect(await query(aRef(), inGbk('query', PAID, headers))).toMatchObject({
    outcome: { kind: 'done' },
    state: 'paid',
    event: { kind: 'payment', money: { amount: 10000 } },
  })
})

it('a refusal in GBK is read by its code, and its text is legible', async () => {
  const refused = { code: '40004', msg: 'Business Failed', sub_code: 'ACQ.TRADE_NOT_EXIST', sub_msg: '交易不存在' }
  const forbidden = { ...refused, sub_code: 'isv.insufficient-isv-permissions', sub_msg: 'ISV权限不足' }

  expect(await query(OVER, inGbk('query', refused))).toMatchObject({ state: 'closable' })
  expect(await query(OVER, inGbk('query', forbidden))).toMatchObject({
    outcome: { kind: 'misconfigured', message: 'ISV权限不足' },
  })
  expect(await close(OVER, inGbk('close', refused))).toMatchObject({ state: 'closed' })
})

it('an answer in GBK whose text was altered is no answer', async () => {
  const answer = inGbk('query', { ...PAID, trade_status: 'WAIT_BUYER_PAY', subject: '甲' })
  const other = encodeText('乙', 'gbk')
  const body = Buffer.from(answer.body)
  other.copy(body, body.indexOf(encodeText('甲', 'gbk')))

  expect(await query(OVER, { ...answer, body })).toMatchObject({
    outcome: { kind: 'unknown', code: 'ANSWER_NOT_SIGNED' },
    state: 'unknown',
  })
})
