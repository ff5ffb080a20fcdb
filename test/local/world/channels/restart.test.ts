import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { type LeapingClock, openLeapingClock } from '../../../../local/host/clock/leaping-clock.ts'
import { only, simulate, temporaryFolder } from './simulation.ts'

const CHANNELS = ['stripe', 'partner', 'alipay', 'wechatpay']
const children: ChildProcess[] = []

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

it('keys, payments, faults and pending notices survive a stop', async () => {
  const stateDir = temporaryFolder()
  const before = await simulate(CHANNELS, { stateDir })
  before.answerWith(() => ({ status: 503 }))
  await before.control('partner', 'faults', { delayMs: 1000, seed: 7 })
  for (const channel of CHANNELS) {
    await before.control(channel, 'pay', { outTradeNo: 'ORDER_0001', amount: 8800, callbacks: 'normal' })
  }
  await before.control('partner', 'outage', { mode: 'down' })
  await before.idle()
  await before.stop()

  const after = await simulate(CHANNELS, { stateDir, clock: before.clock })
  await after.leapBy(3_600_000)

  expect(after.simulators.secrets).toEqual(before.simulators.secrets)
  const events = after.received.map((received) => after.read(received))
  expect(events.map(({ channel }) => channel).toSorted()).toEqual(CHANNELS.toSorted())
  for (const channel of CHANNELS) {
    expect(only(await after.payments(channel))).toMatchObject({
      status: 'paid',
      notices: [{ status: 'acked', attempts: 2 }],
    })
  }
  await expect(fetch(`${after.simulators.urls['partner']}/payments`)).rejects.toThrow()
})

it('a planned payment survives a stop', async () => {
  const stateDir = temporaryFolder()
  const before = await simulate(['stripe'], { stateDir })
  const promised = await before.control('stripe', 'pay', { outTradeNo: 'ORDER_0001', amount: 8800, at: 60_000 })
  await before.stop()

  const after = await simulate(['stripe'], { stateDir, clock: before.clock })
  await after.leapBy(61_000)

  expect(after.read(only(after.received)).channelTxnId).toBe(promised.body['channelTxnId'])
})

it('what became due while the host was down happens once it is up', async () => {
  const stateDir = temporaryFolder()
  const before = await simulate(['partner'], { stateDir })
  const later = { amount: 8800, callbacks: { delayMs: 60_000 } }
  await before.control('partner', 'pay', { ...later, outTradeNo: 'ORDER_0001' })
  await before.control('partner', 'pay', { outTradeNo: 'ORDER_0002', amount: 8800, at: 60_000 })
  await before.stop()
  const leapt = openLeapingClock({ offsetMs: 3_600_000, saveOffset: () => {} })
  const host: { clock?: LeapingClock } = {}
  const clock = { ...leapt, now: () => host.clock?.now() ?? Date.now() }

  const after = await simulate(['partner'], { stateDir, clock, isUp: () => host.clock !== undefined })
  host.clock = leapt
  await after.idle()

  expect(after.received.map((received) => after.read(received).outTradeNo).toSorted()).toEqual([
    'ORDER_0001',
    'ORDER_0002',
  ])
})

it('numbers go on after a restart', async () => {
  const stateDir = temporaryFolder()
  const before = await simulate(['alipay'], { stateDir })
  const first = await before.control('alipay', 'pay', { outTradeNo: 'ORDER_0001', amount: 8800 })
  await before.stop()

  const after = await simulate(['alipay'], { stateDir })
  const second = await after.control('alipay', 'pay', { outTradeNo: 'ORDER_0002', amount: 8800 })

  expect(second.status).toBe(200)
  expect(second.body['channelTxnId']).not.toBe(first.body['channelTxnId'])
})

it('a payment that was confirmed before a kill is told after it', async () => {
  const stateDir = temporaryFolder()
  // Port 9 discards: nothing is acknowledged while the first process lives.
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'simulators-to-kill.ts'), stateDir, 'http://127.0.0.1:9'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  children.push(child)
  const [line] = await once(child.stdout, 'data')
  const urls = JSON.parse(String(line))
  for (const channel of CHANNELS) {
    await fetch(`${urls[channel]}/control/pay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ outTradeNo: 'ORDER_0001', amount: 8800 }),
    })
  }
  child.kill('SIGKILL')
  await once(child, 'exit')

  const after = await simulate(CHANNELS, { stateDir })
  await after.leapBy(3_600_000)

  const events = after.received.map((received) => after.read(received))
  expect(events.map(({ channel, kind }) => `${channel} ${kind}`).toSorted()).toEqual(
    CHANNELS.map((channel) => `${channel} payment`).toSorted(),
  )
})

it('keys are readable by their owner only', async () => {
  const stateDir = temporaryFolder()

  await simulate(CHANNELS, { stateDir })

  const files = readdirSync(stateDir).filter((name) => name.endsWith('.keys.json'))
  expect(files).toEqual(expect.arrayContaining(CHANNELS.map((id) => `${id}.keys.json`)))
  for (const name of files) expect(statSync(join(stateDir, name)).mode & 0o077).toBe(0)
})
