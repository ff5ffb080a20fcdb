import { expect, it } from 'vitest'
import { closeAlipay } from '../../../modules/channels/alipay/close.ts'
import { ALIPAY_NOT_CLOSABLE } from '../../../modules/channels/alipay/states.ts'
import { aFailure, anAnswer, answering, aRef, OVER } from '../client-setup.ts'
import { ACCOUNT, close, KEYS, refusal, signedAnswer, trade } from './signed-answer.ts'

const CLOSED = { code: '10000', msg: 'Success', out_trade_no: 'ORDER_0001', trade_no: '2026110222001400000000000001' }

it('a signed success is closed, by trade.close and never by the cancel that refunds', async () => {
  const channel = answering(signedAnswer('close', CLOSED))

  const answer = await closeAlipay(aRef(), ACCOUNT, KEYS, channel)

  expect(answer).toMatchObject({
    outcome: { kind: 'done', code: 'CLOSED' },
    state: 'closed',
    event: { kind: 'closed' },
  })
  expect(new URLSearchParams(channel.sent[0]?.body).get('method')).toBe('alipay.trade.close')
})

it.each([...ALIPAY_NOT_CLOSABLE])(
  '%s asks at once: the trade was paid this second, or closed before',
  async (subCode) => {
    const paid = await close(aRef(), refusal('close', '40004', `ACQ.${subCode}`), trade())
    const closed = await close(
      aRef(),
      refusal('close', '40004', subCode),
      trade({ trade_status: 'TRADE_CLOSED', send_pay_date: undefined }),
    )

    expect(paid).toMatchObject({ outcome: { kind: 'done' }, state: 'paid', event: { kind: 'payment' } })
    expect(closed).toMatchObject({ outcome: { kind: 'done' }, state: 'closed' })
  },
)

it('a trade that Alipay never knew is closed only after expiry and grace', async () => {
  const notFound = refusal('close', '40004', 'ACQ.TRADE_NOT_EXIST')

  expect(await close(aRef(), notFound)).toMatchObject({ outcome: { kind: 'notYet' }, state: 'unknown' })
  expect(await close(OVER, notFound)).toEqual({ outcome: { kind: 'done', code: 'NEVER_CREATED' }, state: 'closed' })
})

it.each([
  ['a system error', refusal('close', '40004', 'ACQ.SYSTEM_ERROR'), 'unknown'],
  ['an unsigned success', anAnswer(200, `{"alipay_trade_close_response":${JSON.stringify(CLOSED)}}`), 'unknown'],
  ['a success of another number', signedAnswer('close', { ...CLOSED, out_trade_no: 'ORDER_0002' }), 'mismatch'],
  ['an unknown refusal', refusal('close', '40004', 'ACQ.FOO'), 'unknown'],
  ['missing permission', refusal('close', '40006', 'isv.insufficient-isv-permissions'), 'misconfigured'],
  ['a limit', refusal('close', '40005', 'isv.app-call-limited'), 'transient'],
  ['a proxy’s 503, when the close may have gone through', anAnswer(503, ''), 'unknown'],
  ['a time-out', aFailure('timeout'), 'unknown'],
  ['no connection', aFailure('connect-refused'), 'transient'],
])('%s closes nothing', async (_what, result, kind) => {
  expect(await close(OVER, result)).toMatchObject({ outcome: { kind }, state: 'unknown' })
})
