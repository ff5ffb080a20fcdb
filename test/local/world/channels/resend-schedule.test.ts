import { describe, expect, it } from 'vitest'
import { type Answer, only, simulate } from './simulation.ts'

const MINUTE = 60
const HOUR = 3600
const FOUR_DAYS_MS = 4 * 24 * HOUR * 1000
/** Of a simulated clock that jumps; a machine that stands still for longer would be needed to leave it. */
const TOLERANCE_S = 2

describe.each<[string, number[]]>([
  ['stripe', [5 * MINUTE, HOUR, 3 * HOUR]],
  ['partner', [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]],
  ['alipay', [4, 10, 10, 60, 120, 360, 900].map((minutes) => minutes * MINUTE)],
  ['wechatpay', [15, 15, 30, ...[3, 10, 20, 30, 30, 30, 60, 180, 180, 180, 360, 360].map((m) => m * MINUTE)]],
])('a notice of %s that is never acknowledged', (channel, waits) => {
  it('is sent again on the schedule of the channel, then no more, signed anew each time', async () => {
    const simulation = await simulate([channel])
    simulation.answerWith(() => ({ status: 500 }))

    await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800 })
    await simulation.leapBy(FOUR_DAYS_MS)

    const times = simulation.received.map(({ at }) => at)
    const gaps = times.slice(1).map((at, index) => (at - (times[index] ?? 0)) / 1000)
    expect(gaps).toHaveLength(waits.length)
    for (const [index, wait] of waits.entries()) expect(Math.abs((gaps[index] ?? 0) - wait)).toBeLessThan(TOLERANCE_S)
    expect(new Set(simulation.received.map((received) => simulation.read(received).eventId)).size).toBe(1)
    expect(only(only(await simulation.payments(channel)).notices)).toMatchObject({
      status: 'gave-up',
      attempts: waits.length + 1,
    })
    expect(simulation.simulators.source.nextDueAt?.()).toBeUndefined()
  })

  it('is sent no more once it is acknowledged', async () => {
    const simulation = await simulate([channel])
    simulation.answerWith(() => ({ status: 500 }))
    await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800 })
    await simulation.idle()
    simulation.answerWith(() => ({ status: 200, body: 'success' }))

    await simulation.leapBy(FOUR_DAYS_MS)

    expect(simulation.received).toHaveLength(2)
    expect(only(only(await simulation.payments(channel)).notices)).toMatchObject({ status: 'acked', attempts: 2 })
  })
})

describe.each<[string, string, Answer, boolean]>([
  ['alipay', 'success', { status: 200, body: 'success' }, true],
  ['alipay', 'success and a line break', { status: 200, body: 'success\n' }, false],
  ['alipay', 'success in quotes', { status: 200, body: '"success"' }, false],
  ['alipay', 'success in capitals', { status: 200, body: 'SUCCESS' }, false],
  ['alipay', 'nothing', { status: 200 }, false],
  ['alipay', 'success under another status', { status: 201, body: 'success' }, false],
  ['wechatpay', '204', { status: 204 }, true],
  ['wechatpay', '200 with FAIL inside', { status: 200, body: '{"code":"FAIL"}' }, true],
  ['wechatpay', '201', { status: 201 }, false],
  ['stripe', '202', { status: 202 }, true],
  ['partner', '204', { status: 204 }, true],
  ...['alipay', 'wechatpay', 'stripe', 'partner'].map((channel): [string, string, Answer, boolean] => [
    channel,
    'a redirect',
    { status: 302, headers: { location: '/elsewhere' }, body: 'success' },
    false,
  ]),
])('%s, answered with %s', (channel, _what, answer, isAck) => {
  it(isAck ? 'takes it as received' : 'takes it as not received', async () => {
    const simulation = await simulate([channel])
    simulation.answerWith(() => answer)

    await simulation.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800 })
    await simulation.idle()

    expect(simulation.received).toHaveLength(1)
    expect(only(only(await simulation.payments(channel)).notices).status).toBe(isAck ? 'acked' : 'pending')
  })
})

describe('the partner', () => {
  it('stops at 410', async () => {
    const simulation = await simulate(['partner'])
    simulation.answerWith(() => ({ status: 410 }))

    await simulation.control('partner', 'pay', { outTradeNo: 'ORDER_0001', amount: 8800 })
    await simulation.leapBy(FOUR_DAYS_MS)

    expect(simulation.received).toHaveLength(1)
  })

  it('waits as long as retry-after says', async () => {
    const simulation = await simulate(['partner'])
    simulation.answerWith(() => ({ status: 429, headers: { 'retry-after': '120' } }))

    await simulation.control('partner', 'pay', { outTradeNo: 'ORDER_0001', amount: 8800 })
    await simulation.idle()
    const afterMs = (simulation.simulators.source.nextDueAt?.() ?? 0) - (simulation.received[0]?.at ?? 0)

    expect(Math.abs(afterMs / 1000 - 120)).toBeLessThan(TOLERANCE_S)
  })
})
