import { createServer } from 'node:http'
import { afterEach, expect } from 'vitest'
import { type LeapingClock, openLeapingClock } from '../../../../local/host/clock/leaping-clock.ts'
import { watchIdleness } from '../../../../local/host/runtime/idleness.ts'
import { leapBy } from '../../../../local/host/runtime/leap.ts'
import { listenOnLoopback } from '../../../../local/host/runtime/listen.ts'
import { startSimulators } from '../../../../local/world/channels/start-simulators.ts'
import type { ChannelAccount } from '../../../../modules/channels/account.ts'
import { type ChannelClient, clientOf } from '../../../../modules/channels/clients.ts'
import { parserOf } from '../../../../modules/channels/parsers.ts'
import { type VerifierDeps, verifierOf } from '../../../../modules/channels/verifiers.ts'
import type { ChannelEvent } from '../../../../modules/core/channel-event.ts'
import { instantOf } from '../../../../modules/core/instant.ts'
import { sendRequest } from '../../../../modules/outgoing/http/send-request.ts'
import { type Answer, type ListedPayment, type Received, temporaryFolder } from './simulation.ts'

/** The simulator of one account that need not be of the local stage, and Backstop's own reading of what it sends and answers. */
export interface AccountSimulation {
  readonly clock: LeapingClock
  readonly url: string
  readonly secret: string
  readonly received: Received[]
  answerWith(answer: (request: Received) => Answer): void
  leapBy(ms: number): Promise<void>
  idle(): Promise<void>
  nextDueAt(): number | undefined
  control(action: string, input: object): Promise<{ status: number; body: Record<string, unknown> }>
  payments(): Promise<ListedPayment[]>
  /** Calls the channel's API as the merchant does. */
  call(path: string, headers: Readonly<Record<string, string>>, body?: object | string): Promise<ApiReply>
  /** Backstop's client of the channel. */
  client(): ChannelClient
  read(received: Received): Promise<ChannelEvent>
  refusalOf(received: Received): Promise<string | undefined>
  stop(): Promise<void>
}

export interface ApiReply {
  readonly status: number
  readonly text: string
  readonly body: Record<string, unknown>
}

const cleanups: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

/** Starts it; all of it is taken down after the test. */
export async function simulateAccount(
  account: ChannelAccount,
  options: { readonly stateDir?: string; readonly clock?: LeapingClock } = {},
): Promise<AccountSimulation> {
  const clock = options.clock ?? openLeapingClock({ offsetMs: 0, saveOffset: () => {} })
  const idleness = watchIdleness(clock)
  const received: Received[] = []
  let answer: (request: Received) => Answer = () => ({ status: 200 })
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const callback = { channel: account.id, at: clock.now(), headers, body: Buffer.concat(chunks) }
    received.push(callback)
    const given = answer(callback)
    response.writeHead(given.status, given.headers ?? {}).end(given.body ?? '')
  })
  const base = await listenOnLoopback(server, 0)
  const stateDir = options.stateDir ?? temporaryFolder()
  const simulators = await startSimulators({ clock, stateDir, notifyBase: () => base, accounts: [account] })
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

  const url = simulators.urls[account.id] ?? ''
  const secret = simulators.secrets[account.id] ?? ''
  // As the local host does it: the channel's API is where its simulator is.
  const ours: ChannelAccount = { ...account, apiBase: url }
  const deps: VerifierDeps = { http: sendRequest, nowMs: clock.now }
  const verifier = verifierOf(ours, deps)
  const verify = async (callback: Received) => {
    await verifier.prepare?.(callback)
    return verifier.openKeys(secret)(callback, instantOf(callback.at))
  }
  let nonces = 0
  return {
    clock,
    url,
    secret,
    received,
    answerWith: (next) => {
      answer = next
    },
    leapBy: (ms) => leapBy(clock, idleness, ms),
    idle: () => idleness.idle(),
    nextDueAt: () => simulators.source.nextDueAt?.(),
    control: async (action, input) => {
      const response = await fetch(`${url}/control/${action}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(input),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    },
    payments: async () => {
      const response = await fetch(`${url}/control/payments`)
      return ((await response.json()) as { payments: ListedPayment[] }).payments
    },
    call: async (path, headers, body) => {
      const response = await fetch(`${url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers,
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : {} }
    },
    client: () =>
      clientOf(ours, { http: sendRequest, nowMs: clock.now, nonce: () => `nonce-${++nonces}` }).openKeys(secret),
    read: async (callback) => {
      const verification = await verify(callback)
      if (!verification.ok) return expect.unreachable(`refused: ${verification.reason}`)
      const parsed = parserOf(ours).openKeys(secret)(verification.verified)
      if (!parsed.ok) return expect.unreachable(`unreadable: ${parsed.field} ${parsed.problem}`)
      return parsed.events[0] ?? expect.unreachable('no event')
    },
    refusalOf: async (callback) => {
      const verification = await verify(callback)
      return verification.ok ? undefined : verification.reason
    },
    stop,
  }
}
