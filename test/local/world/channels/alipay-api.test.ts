import { createSign, createVerify } from 'node:crypto'
import { expect, it } from 'vitest'
import { only, type Simulation, simulate } from './simulation.ts'

type Answer = Readonly<Record<string, unknown>>

/** A call as Alipay describes it, written apart from the simulator: the answer's signature is checked over its raw text. */
async function call(simulation: Simulation, method: string, content: object, changes: Record<string, string> = {}) {
  const { appPrivateKey, alipayPublicKeys } = JSON.parse(simulation.simulators.secrets['alipay'] ?? '')
  const parameters: Record<string, string> = {
    app_id: '2026000100010001',
    method,
    format: 'JSON',
    charset: 'utf-8',
    sign_type: 'RSA2',
    timestamp: '2026-11-02 10:00:00',
    version: '1.0',
    app_auth_token: '',
    biz_content: JSON.stringify(content),
  }
  const text = Object.keys(parameters)
    .filter((name) => parameters[name] !== '')
    .toSorted()
    .map((name) => `${name}=${parameters[name]}`)
    .join('&')
  const sign = createSign('RSA-SHA256').update(text).sign(appPrivateKey, 'base64')
  const { biz_content = '', ...common }: Record<string, string> = { ...parameters, sign, ...changes }
  const response = await fetch(`${simulation.simulators.urls['alipay']}/gateway.do?${new URLSearchParams(common)}`, {
    method: 'POST',
    body: new URLSearchParams({ biz_content }),
  })
  const body = await response.text()
  const name = `${method.replaceAll('.', '_')}_response`
  const { sign: given, [name]: answer } = JSON.parse(body)
  const inner = body.slice(`{"${name}":`.length, body.lastIndexOf(',"sign":"'))
  const isSigned = createVerify('RSA-SHA256').update(inner).verify(alipayPublicKeys[0], String(given), 'base64')
  return { status: response.status, isSigned, inner, answer: answer as Answer }
}

const ORDER = { out_trade_no: 'ORDER_0001', total_amount: '88.00', subject: 'A/B' }
const NUMBER = { out_trade_no: 'ORDER_0001' }

it('a precreated trade does not exist until it is paid', async () => {
  const simulation = await simulate(['alipay'])

  const ordered = await call(simulation, 'alipay.trade.precreate', ORDER)
  const before = await call(simulation, 'alipay.trade.query', NUMBER)
  const paid = await simulation.control('alipay', 'pay', { outTradeNo: 'ORDER_0001' })
  const after = await call(simulation, 'alipay.trade.query', NUMBER)

  expect(ordered.answer).toMatchObject({ code: '10000', qr_code: expect.stringMatching(/^https:/) })
  expect(ordered.inner).toContain('https:\\/\\/')
  expect(before).toMatchObject({
    status: 200,
    isSigned: true,
    answer: { code: '40004', sub_code: 'ACQ.TRADE_NOT_EXIST' },
  })
  expect(after.isSigned).toBe(true)
  expect(after.answer).toMatchObject({
    code: '10000',
    trade_status: 'TRADE_SUCCESS',
    total_amount: '88.00',
    trade_no: paid.body['channelTxnId'],
    send_pay_date: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
  })
})

it('a created trade waits for the buyer and can be closed', async () => {
  const simulation = await simulate(['alipay'])
  const { answer: created } = await call(simulation, 'alipay.trade.create', ORDER)

  const waiting = await call(simulation, 'alipay.trade.query', { trade_no: created['trade_no'] })
  const closed = await call(simulation, 'alipay.trade.close', NUMBER)
  const again = await call(simulation, 'alipay.trade.close', NUMBER)
  const after = await call(simulation, 'alipay.trade.query', NUMBER)

  expect(waiting.answer).toMatchObject({ trade_status: 'WAIT_BUYER_PAY', out_trade_no: 'ORDER_0001' })
  expect(waiting.answer).not.toHaveProperty('send_pay_date')
  expect(closed.answer).toMatchObject({ code: '10000', trade_no: created['trade_no'] })
  expect(again.answer).toMatchObject({ code: '40004', sub_code: 'ACQ.TRADE_STATUS_ERROR' })
  expect(after.answer['trade_status']).toBe('TRADE_CLOSED')
})

it('a paid trade and an unknown one cannot be closed', async () => {
  const simulation = await simulate(['alipay'])
  await simulation.control('alipay', 'pay', { outTradeNo: 'ORDER_0001', amount: 8800 })

  const paid = await call(simulation, 'alipay.trade.close', NUMBER)
  const unknown = await call(simulation, 'alipay.trade.close', { out_trade_no: 'ORDER_0002' })

  expect(paid.answer['sub_code']).toBe('ACQ.TRADE_STATUS_ERROR')
  expect(unknown.answer['sub_code']).toBe('ACQ.TRADE_NOT_EXIST')
})

it.each([
  ['another signature', { sign: 'AAAA' }, 'isv.invalid-signature', true],
  ['a content that was not signed', { biz_content: '{"out_trade_no":"ORDER_0002"}' }, 'isv.invalid-signature', true],
  ['another app', { app_id: '2026000100010002' }, 'isv.invalid-app-id', false],
  ['a weaker signature type', { sign_type: 'RSA' }, 'isv.invalid-signature-type', true],
])('%s is refused', async (_what, changes, subCode, isSigned) => {
  const simulation = await simulate(['alipay'])

  const refused = await call(simulation, 'alipay.trade.query', NUMBER, changes)

  expect(refused).toMatchObject({ status: 200, isSigned, answer: { code: '40002', sub_code: subCode } })
})

it('a throttled gateway and a lying one answer in their own words', async () => {
  const simulation = await simulate(['alipay'])
  await simulation.control('alipay', 'pay', { outTradeNo: 'ORDER_0001', amount: 8800 })

  await simulation.control('alipay', 'outage', { mode: 'throttle' })
  const throttled = await call(simulation, 'alipay.trade.query', NUMBER)
  await simulation.control('alipay', 'outage', { mode: 'lie' })
  const denied = await call(simulation, 'alipay.trade.query', NUMBER)

  expect(throttled).toMatchObject({ isSigned: true, answer: { code: '40005', sub_code: 'isv.app-call-limited' } })
  expect(denied.answer).toMatchObject({ code: '10000', trade_status: 'WAIT_BUYER_PAY' })
})

it('a notice may change its bytes in a repeat and stays one event', async () => {
  const simulation = await simulate(['alipay'])
  simulation.answerWith(() => ({ status: 200, body: 'fail' }))
  await simulation.control('alipay', 'pay', { outTradeNo: 'ORDER_0001', amount: 8800 })
  await simulation.leapBy(300_000)

  const [first, second] = simulation.received.map(({ body }) => new URLSearchParams(body.toString()))

  expect(second?.get('notify_time')).not.toBe(first?.get('notify_time'))
  expect(second?.get('notify_id')).toBe(first?.get('notify_id'))
  expect(new Set(simulation.received.map((received) => simulation.read(received).eventId)).size).toBe(1)
  expect(only([...new Set(simulation.received.map(({ headers }) => headers['content-type']))])).toBe(
    'application/x-www-form-urlencoded; charset=utf-8',
  )
})
