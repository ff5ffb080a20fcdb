import { expect, it } from 'vitest'
import { closeWechatpay } from '../../../modules/channels/wechatpay/close.ts'
import { aFailure, anAnswer, answering, aRef, OVER } from '../client-setup.ts'
import { close, KEYS, probe, refusal, signedAnswer, transaction } from './signed-answer.ts'
import { ACCOUNT } from './signed-notice.ts'

it('a signed 204 is closed, and asks for nothing more', async () => {
  const channel = answering(signedAnswer(204, ''))

  const answer = await closeWechatpay(aRef(), ACCOUNT, KEYS, channel)

  expect(answer).toMatchObject({
    outcome: { kind: 'done', code: 'CLOSED' },
    state: 'closed',
    event: { kind: 'closed' },
  })
  expect(channel.sent).toHaveLength(1)
  expect(channel.sent[0]).toMatchObject({ method: 'POST', body: '{"mchid":"1900000001"}' })
  expect(channel.sent[0]?.url.pathname).toBe('/v3/pay/transactions/out-trade-no/ORDER_0001/close')
})

it('an order that was paid meanwhile comes back as paid, whatever the refusal is called', async () => {
  for (const code of ['ORDER_PAID', 'ORDERPAID', 'TRADE_ERROR', 'PARAM_ERROR', 'FOO']) {
    const answer = await close(aRef(), refusal(400, code), signedAnswer(200, transaction()))

    expect(answer).toMatchObject({ outcome: { kind: 'done' }, state: 'paid', event: { kind: 'payment' } })
  }
})

it('an unsigned 204, and a probe that is not followed by better, close nothing by themselves', async () => {
  const waiting = signedAnswer(200, transaction({ trade_state: 'NOTPAY' }))

  const unsigned = await close(aRef(), anAnswer(204, ''), waiting)
  const probed = await close(aRef(), probe(204, ''), probe(204, ''), waiting)

  expect(unsigned).toEqual({ outcome: expect.objectContaining({ kind: 'unknown' }), state: 'unknown' })
  expect(probed).toEqual({ outcome: expect.objectContaining({ kind: 'unknown' }), state: 'unknown' })
})

it('after a close without an answer the channel’s own state counts', async () => {
  const answer = await close(aRef(), aFailure('timeout'), signedAnswer(200, transaction({ trade_state: 'CLOSED' })))

  expect(answer).toMatchObject({ outcome: { kind: 'done' }, state: 'closed' })
})

it('a buyer at the password is waited for', async () => {
  const answer = await close(
    aRef(),
    refusal(403, 'RULE_LIMIT'),
    signedAnswer(200, transaction({ trade_state: 'USERPAYING' })),
  )

  expect(answer).toMatchObject({ outcome: { kind: 'notYet' }, state: 'moving' })
})

it('a refused close of an order that still waits is no close, and says why', async () => {
  const answer = await close(
    aRef(),
    refusal(403, 'RULE_LIMIT'),
    signedAnswer(200, transaction({ trade_state: 'NOTPAY' })),
  )

  expect(answer).toMatchObject({ outcome: { kind: 'rejected', code: 'RULE_LIMIT' }, state: 'unknown' })
})

it.each([
  [refusal(401, 'SIGN_ERROR'), 'misconfigured'],
  [refusal(429, 'FREQUENCY_LIMITED'), 'transient'],
  [aFailure('connect-refused'), 'transient'],
])('nothing is asked after %j', async (result, kind) => {
  expect(await close(aRef(), result)).toMatchObject({ outcome: { kind }, state: 'unknown' })
})

it('an order that WeChat never knew is closed only after expiry and grace', async () => {
  const notFound = refusal(404, 'ORDER_NOT_EXIST')

  expect(await close(aRef(), notFound, notFound)).toMatchObject({ outcome: { kind: 'notYet' }, state: 'unknown' })
  expect(await close(OVER, notFound, notFound)).toEqual({
    outcome: { kind: 'done', code: 'NEVER_CREATED' },
    state: 'closed',
  })
})

it('a signed success of another form is not "closed": the state counts', async () => {
  const answer = await close(aRef(), signedAnswer(200, '{}'), signedAnswer(200, transaction()))

  expect(answer).toMatchObject({ state: 'paid', event: { kind: 'payment' } })
})
