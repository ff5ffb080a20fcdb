import { describe, expect, it } from 'vitest'
import { only, simulate } from './simulation.ts'

const DAY_MS = 24 * 3600 * 1000

describe.each(['stripe', 'partner', 'alipay', 'wechatpay'])('at %s', (channel) => {
  it('a lost callback never comes, and the payment is true all the same', async () => {
    const simulation = await simulate([channel])

    await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800, callbacks: 'lose' })
    await simulation.leapBy(4 * DAY_MS)

    expect(simulation.received).toEqual([])
    expect(only(await simulation.payments(channel))).toMatchObject({
      status: 'paid',
      notices: [{ status: 'lost', attempts: 0 }],
    })
  })

  it('a doubled callback comes twice as one event', async () => {
    const simulation = await simulate([channel])

    await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800, callbacks: 'double' })
    await simulation.idle()

    const events = simulation.received.map((received) => simulation.read(received).eventId)
    expect(events).toHaveLength(2)
    expect(new Set(events).size).toBe(1)
  })

  it('a delayed callback comes when its time has come', async () => {
    const simulation = await simulate([channel])

    await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800, callbacks: { delayMs: 60_000 } })
    await simulation.leapBy(59_000)
    const before = simulation.received.length
    await simulation.leapBy(2_000)

    expect([before, simulation.received.length]).toEqual([0, 1])
  })

  it.each(['signature', 'amount'])(
    'a callback with another %s is refused, and the repeat is genuine',
    async (tamper) => {
      const simulation = await simulate([channel])
      simulation.answerWith((received) =>
        simulation.refusalOf(received) === undefined ? { status: 200, body: 'success' } : { status: 400 },
      )

      await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800, tamper })
      await simulation.leapBy(DAY_MS)

      expect(simulation.received.map((received) => simulation.refusalOf(received))).toEqual([
        'bad-signature',
        undefined,
      ])
    },
  )

  it('a tampered callback whose repeats are lost leaves one forgery', async () => {
    const simulation = await simulate([channel])
    simulation.answerWith(() => ({ status: 400 }))

    const input = { outTradeNo: 'ORDER_0001', amount: 8800, tamper: 'signature', callbacks: 'lose' }
    await simulation.control(channel, 'pay', input)
    await simulation.leapBy(4 * DAY_MS)

    expect(simulation.refusalOf(only(simulation.received))).toBe('bad-signature')
  })

  it('a payment of another amount says so everywhere', async () => {
    const simulation = await simulate([channel])

    await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800, payAmount: 8799 })
    await simulation.idle()

    expect(simulation.read(only(simulation.received)).money?.amount).toBe(8799)
    expect(only(await simulation.payments(channel))).toMatchObject({ amount: 8800, paidAmount: 8799 })
  })

  it('a payment that is planned happens later, with the number it was promised', async () => {
    const simulation = await simulate([channel])

    const promised = await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800, at: 600_000 })
    await simulation.idle()
    const before = only(await simulation.payments(channel)).status
    await simulation.leapBy(600_000)

    expect([promised.body['status'], before]).toEqual(['open', 'open'])
    expect(simulation.read(only(simulation.received)).channelTxnId).toBe(promised.body['channelTxnId'])
  })

  it('a close comes before a planned payment and wins', async () => {
    const simulation = await simulate([channel])
    await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800, at: 600_000 })

    await simulation.control(channel, 'close-by-channel', { outTradeNo: 'ORDER_0001' })
    await simulation.leapBy(DAY_MS)

    expect(only(await simulation.payments(channel)).status).toBe('closed')
    expect(simulation.received.map((received) => simulation.read(received).kind)).not.toContain('payment')
  })

  it('a paid and a closed number cannot be paid', async () => {
    const simulation = await simulate([channel])
    await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800 })
    await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0002', amount: 8800, at: 1_000_000 })
    await simulation.control(channel, 'close-by-channel', { outTradeNo: 'ORDER_0002' })

    const [paid, closed] = [
      await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800 }),
      await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0002', amount: 8800 }),
    ]

    expect([paid.status, paid.body['code']]).toEqual([409, 'ALREADY_PAID'])
    expect([closed.status, closed.body['code']]).toEqual([409, 'CLOSED'])
  })
})

describe.each([
  ['stripe', 'account', 'not-ours'],
  ['stripe', 'livemode', 'not-ours'],
  ['alipay', 'account', 'not-ours'],
  ['wechatpay', 'account', 'not-ours'],
  ['partner', 'account', 'bad-signature'],
])('a notice of %s about a foreign %s', (channel, tamper, reason) => {
  it('is refused in every send', async () => {
    const simulation = await simulate([channel])
    simulation.answerWith(() => ({ status: 400 }))

    await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800, tamper })
    await simulation.leapBy(4 * DAY_MS)

    expect(simulation.received.length).toBeGreaterThan(2)
    expect(new Set(simulation.received.map((received) => simulation.refusalOf(received)))).toEqual(new Set([reason]))
  })
})

describe('what a channel tells of a refused try and of a close', () => {
  it.each([
    ['stripe', ['other', 'closed']],
    ['partner', ['failed', 'closed']],
    ['alipay', []],
    ['wechatpay', []],
  ])('%s: %j', async (channel, kinds) => {
    const simulation = await simulate([channel])
    await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800, at: 1_000_000 })

    await simulation.control(channel, 'fail', { outTradeNo: 'ORDER_0001' })
    await simulation.idle()
    await simulation.control(channel, 'close-by-channel', { outTradeNo: 'ORDER_0001' })
    await simulation.idle()

    expect(simulation.received.map((received) => simulation.read(received).kind)).toEqual(kinds)
  })
})

describe('a second payment of one number', () => {
  it.each(['stripe', 'partner'])('is another transaction at %s', async (channel) => {
    const simulation = await simulate([channel])
    const first = await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800 })

    const second = await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800, again: true })
    await simulation.idle()

    expect(second.body['channelTxnId']).not.toBe(first.body['channelTxnId'])
    expect(simulation.received.map((received) => simulation.read(received).outTradeNo)).toEqual([
      'ORDER_0001',
      'ORDER_0001',
    ])
  })

  it.each(['alipay', 'wechatpay'])('is refused by %s', async (channel) => {
    const simulation = await simulate([channel])
    await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800 })

    const second = await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800, again: true })

    expect(second.status).toBe(409)
  })
})

describe('the control API', () => {
  it.each([
    ['without an amount', 'partner', { outTradeNo: 'ORDER_0001' }, 'NOT_PLACED'],
    [
      'in a currency that the channel has not',
      'alipay',
      { outTradeNo: 'ORDER_0001', amount: 1, currency: 'USD' },
      'CURRENCY_NOT_OFFERED',
    ],
    [
      'with harm that the channel has not',
      'partner',
      { outTradeNo: 'ORDER_0001', amount: 1, tamper: 'livemode' },
      'TAMPER_NOT_OFFERED',
    ],
    ['with an unknown field', 'partner', { outTradeNo: 'ORDER_0001', amount: 1, ammount: 2 }, 'BAD_INPUT'],
    ['of a fraction', 'partner', { outTradeNo: 'ORDER_0001', amount: 0.5 }, 'BAD_INPUT'],
  ])('refuses a payment %s', async (_what, channel, input, code) => {
    const simulation = await simulate([channel])

    const answer = await simulation.control(channel, 'pay', input)

    expect([answer.status, answer.body['code']]).toEqual([400, code])
    expect(await simulation.payments(channel)).toEqual([])
  })

  it('wechatpay sends its own probe, and then the genuine notice', async () => {
    const simulation = await simulate(['wechatpay'])
    simulation.answerWith((received) => ({ status: simulation.refusalOf(received) === undefined ? 204 : 401 }))

    await simulation.control('wechatpay', 'pay', { outTradeNo: 'ORDER_0001', amount: 8800, tamper: 'probe' })
    await simulation.leapBy(DAY_MS)

    const [probe, genuine] = simulation.received
    expect(simulation.received).toHaveLength(2)
    expect(probe?.headers['wechatpay-signature']).toMatch(/^WECHATPAY\/SIGNTEST\//)
    expect(genuine?.headers['wechatpay-signature']).not.toContain('SIGNTEST')
  })
})
