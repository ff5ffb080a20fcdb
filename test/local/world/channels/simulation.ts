import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect } from 'vitest'
import { type LeapingClock, openLeapingClock } from '../../../../local/host/clock/leaping-clock.ts'
import { type Idleness, watchIdleness } from '../../../../local/host/runtime/idleness.ts'
import { leapBy } from '../../../../local/host/runtime/leap.ts'
import { listenOnLoopback } from '../../../../local/host/runtime/listen.ts'
import { type Simulators, startSimulators } from '../../../../local/world/channels/start-simulators.ts'
import type { ChannelAccount } from '../../../../modules/channels/account.ts'
import type { CallbackRequest, Parsed } from '../../../../modules/channels/channel.ts'
import { parserOf } from '../../../../modules/channels/parsers.ts'
import { verifierOf } from '../../../../modules/channels/verifiers.ts'
import type { ChannelEvent } from '../../../../modules/core/channel-event.ts'
import { instantOf } from '../../../../modules/core/instant.ts'
import { ACCOUNTS } from './accounts.ts'

export interface Received extends CallbackRequest {
  readonly channel: string
  /** ms since the epoch */
  readonly at: number
}

export interface Answer {
  readonly status: number
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Simulators of some channels, and a receiver of their callbacks that answers as it is told. */
export interface Simulation {
  readonly clock: LeapingClock
  readonly idleness: Idleness
  readonly simulators: Simulators
  readonly received: Received[]
  /** What the receiver answers from now on. */
  answerWith(answer: (request: Received) => Answer): void
  /** Goes on until nothing is planned within that time. */
  leapBy(ms: number): Promise<void>
  idle(): Promise<void>
  control(channel: string, action: string, input: object): Promise<{ status: number; body: Record<string, unknown> }>
  payments(channel: string): Promise<ListedPayment[]>
  /** What Backstop makes of a callback: verified with the simulator's own secret, then parsed. */
  read(received: Received): ChannelEvent
  refusalOf(received: Received): string | undefined
  stop(): Promise<void>
}

export interface ListedPayment {
  readonly outTradeNo: string
  readonly channelTxnId?: string
  readonly status: string
  readonly amount: number
  readonly paidAmount?: number
  readonly notices: readonly { eventId: string; event: string; status: string; attempts: number }[]
}

const cleanups: (() => void | Promise<void>)[] = []

afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'backstop-channels-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** RSA keys take long to make: the tests of a file share those of their first simulation. */
const KEYS = mkdtempSync(join(tmpdir(), 'backstop-keys-'))
afterAll(() => rmSync(KEYS, { recursive: true, force: true }))

function withKeys(folder: string): string {
  copyKeys(KEYS, folder)
  return folder
}

function copyKeys(from: string, to: string): void {
  for (const name of readdirSync(from)) {
    if (name.endsWith('.keys.json')) copyFileSync(join(from, name), join(to, name))
  }
}

/** Starts simulators of the named accounts; all of it is taken down after the test. */
export async function simulate(
  channels: readonly string[],
  options: {
    readonly stateDir?: string
    readonly clock?: LeapingClock
    /** Whether the receiver's address is known yet. */
    readonly isUp?: () => boolean
  } = {},
): Promise<Simulation> {
  const clock = options.clock ?? openLeapingClock({ offsetMs: 0, saveOffset: () => {} })
  const idleness = watchIdleness(clock)
  const received: Received[] = []
  let answer: (request: Received) => Answer = ({ channel }) =>
    channel === 'alipay' ? { status: 200, body: 'success' } : { status: 200 }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const channel = request.url?.replace('/callbacks/', '') ?? ''
    const callback = { channel, at: clock.now(), headers, body: Buffer.concat(chunks) }
    received.push(callback)
    const given = answer(callback)
    response.writeHead(given.status, given.headers ?? {}).end(given.body ?? '')
  })
  const base = await listenOnLoopback(server, 0)
  const accounts = channels.map((id) => ACCOUNTS[id] ?? expect.unreachable(`no account ${id}`))
  const stateDir = options.stateDir ?? withKeys(temporaryFolder())
  const simulators = await startSimulators({
    clock,
    stateDir,
    notifyBase: () => (options.isUp?.() === false ? '' : base),
    accounts,
  })
  copyKeys(stateDir, KEYS)
  idleness.add(simulators.source)
  let stopped: Promise<void> | undefined
  const stop = () => {
    idleness.close()
    server.closeAllConnections()
    server.close()
    stopped ??= simulators.stop()
    return stopped
  }
  cleanups.push(stop)

  const verify = (callback: Received) =>
    verifierOf(accountOf(callback)).openKeys(simulators.secrets[callback.channel] ?? '')(
      callback,
      instantOf(callback.at),
    )
  return {
    clock,
    idleness,
    simulators,
    received,
    answerWith: (next) => {
      answer = next
    },
    leapBy: (ms) => leapBy(clock, idleness, ms),
    idle: () => idleness.idle(),
    control: async (channel, action, input) => {
      const response = await fetch(`${simulators.urls[channel]}/control/${action}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(input),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    },
    payments: async (channel) => {
      const response = await fetch(`${simulators.urls[channel]}/control/payments`)
      return ((await response.json()) as { payments: ListedPayment[] }).payments
    },
    read: (callback) => {
      const verification = verify(callback)
      if (!verification.ok) return expect.unreachable(`refused: ${verification.reason}`)
      const parse = parserOf(accountOf(callback)).openKeys(simulators.secrets[callback.channel] ?? '')
      const parsed: Parsed = parse(verification.verified)
      if (!parsed.ok) return expect.unreachable(`unreadable: ${parsed.field} ${parsed.problem}`)
      return parsed.events[0] ?? expect.unreachable('no event')
    },
    refusalOf: (callback) => {
      const verification = verify(callback)
      return verification.ok ? undefined : verification.reason
    },
    stop,
  }
}

function accountOf({ channel }: Received): ChannelAccount {
  return ACCOUNTS[channel] ?? expect.unreachable(`no account ${channel}`)
}

/** The only one. */
export function only<T>(items: readonly T[]): T {
  expect(items).toHaveLength(1)
  return items[0] ?? expect.unreachable()
}
