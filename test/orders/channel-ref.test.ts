import { describe, expect, it } from 'vitest'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { openTestLedger } from '../support/ledger.ts'
import { aFreshOrderNo, anOrderBody, fieldsOf, openOrdersApi } from './orders-api.ts'

const { ledger } = await openTestLedger()
const api = openOrdersApi(ledger)

async function anAttempt(...channels: string[]) {
  const orderNo = aFreshOrderNo()
  await api.put(orderNo, anOrderBody())
  for (const channel of channels) await api.pay(orderNo, { channel })
  return orderNo
}

describe('the channel’s own number of an attempt', () => {
  it('is set once and answered with the attempt', async () => {
    const orderNo = await anAttempt('stripe')

    const first = await api.patch(orderNo, orderNo, { channelRef: 'pi_1' })
    const again = await api.patch(orderNo, orderNo, { channelRef: 'pi_1' })

    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({ outTradeNo: orderNo, channelRef: 'pi_1', revision: 2 })
    expect(again.status).toBe(200)
    expect(again.text).toBe(first.text)
    expect((await readOrderFile(ledger, orderNo)).order?.rev).toBe(2)
  })

  it('stays when another one comes', async () => {
    const orderNo = await anAttempt('stripe')
    await api.patch(orderNo, orderNo, { channelRef: 'pi_1' })

    const answer = await api.patch(orderNo, orderNo, { channelRef: 'pi_2' })

    expect(answer.status).toBe(409)
    expect(answer.body['code']).toBe('CHANNEL_REF_DIFFERS')
    expect((await readOrderFile(ledger, orderNo)).payAttempts[0]?.channelRef).toBe('pi_1')
  })

  it('is one of the two that come at once', async () => {
    const orderNo = await anAttempt('stripe')

    const answers = await Promise.all(['pi_1', 'pi_2'].map((channelRef) => api.patch(orderNo, orderNo, { channelRef })))

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  it('needs the channel only where the number stands on several', async () => {
    const orderNo = await anAttempt('stripe', 'alipay')

    const without = await api.patch(orderNo, orderNo, { channelRef: 'x' })
    const named = await api.patch(orderNo, orderNo, { channelRef: 'x', channel: 'alipay' })

    expect(without.status).toBe(422)
    expect(fieldsOf(without)).toEqual(['channel'])
    expect(named.status).toBe(200)
    expect(named.body['channel']).toBe('alipay')
  })

  it.each([
    ['an attempt that is not there', 'OTHER-1', {}],
    ['a channel that has no such attempt', undefined, { channel: 'alipay' }],
  ])('for %s is answered 404', async (_, outTradeNo, body) => {
    const orderNo = await anAttempt('stripe')

    const answer = await api.patch(orderNo, outTradeNo ?? orderNo, { channelRef: 'x', ...body })

    expect(answer.status).toBe(404)
    expect(answer.body['code']).toBe('PAY_ATTEMPT_NOT_FOUND')
  })

  it.each([
    ['channelRef', {}],
    ['channelRef', { channelRef: 'x'.repeat(257) }],
    ['channelRef', { channelRef: 7 }],
  ])('must be text: %s %o', async (field, body) => {
    const orderNo = await anAttempt('stripe')

    const answer = await api.patch(orderNo, orderNo, body)

    expect(answer.status).toBe(422)
    expect(fieldsOf(answer)).toEqual([field])
  })
})

it.each(['.', '..'])('a channelRef %j, which is a step in a path, is refused', async (channelRef) => {
  const orderNo = await anAttempt('stripe')

  const answer = await api.patch(orderNo, orderNo, { channelRef })

  expect(answer.status).toBe(422)
  expect(fieldsOf(answer)).toEqual(['channelRef'])
})
