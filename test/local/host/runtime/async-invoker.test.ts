import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type LeapingClock, openLeapingClock } from '../../../../local/host/clock/leaping-clock.ts'
import { type AsyncInvoker, openAsyncInvoker } from '../../../../local/host/runtime/async-invoker.ts'
import { type HostState, openHostState } from '../../../../local/host/runtime/host-state.ts'
import { type Idleness, watchIdleness } from '../../../../local/host/runtime/idleness.ts'
import { leapToNext } from '../../../../local/host/runtime/leap.ts'
import type { Json } from '../../../../local/host/template/json.ts'
import { fakePool } from './fake-pool.ts'

let clock: LeapingClock
let state: HostState
let invoker: AsyncInvoker
let idleness: Idleness
let failures: Json[]

beforeEach(() => {
  clock = openLeapingClock({ offsetMs: 0, saveOffset: () => {} })
  state = openHostState(':memory:')
  failures = []
})
afterEach(() => {
  invoker.close()
  state.close()
})

function open(answer: (event: Json) => Json | Error, maxRetries = 2) {
  const pool = fakePool(answer)
  invoker = openAsyncInvoker({
    functions: [
      {
        logicalId: 'fn',
        name: 'fn',
        arn: 'arn:fn',
        entry: 'fn.ts',
        exportName: 'handler',
        timeoutMs: 1_000,
        memoryMb: 128,
        environment: {},
        asyncInvoke: { maxRetries, maxAgeMs: 21_600_000, onFailureArn: 'arn:dead' },
      },
    ],
    pool,
    state,
    clock,
    sendFailure: async (_arn, failure) => {
      failures.push(failure)
    },
    onLog: () => {},
  })
  idleness = watchIdleness(clock)
  idleness.add({ isBusy: () => invoker.running() > 0, nextDueAt: invoker.nextDueAt })
  return pool
}

describe('an event that nobody waits for', () => {
  it('runs once when it succeeds, and is forgotten', async () => {
    const pool = open(() => null)

    invoker.enqueue('fn', { a: 1 })
    await idleness.idle()

    expect(pool.events).toEqual([{ a: 1 }])
    expect(state.events()).toEqual([])
    expect(invoker.nextDueAt()).toBeUndefined()
  })

  it('is tried again after one and two minutes, then goes to the failure destination', async () => {
    const pool = open(() => new Error('no'))
    const startedAt = clock.now()

    invoker.enqueue('fn', { a: 1 })
    await idleness.idle()
    const firstRetryAt = invoker.nextDueAt() ?? 0
    await leapToNext(clock, idleness)
    await leapToNext(clock, idleness)
    await idleness.idle()

    expect(firstRetryAt - startedAt).toBeGreaterThanOrEqual(60_000)
    expect(clock.now() - startedAt).toBeGreaterThanOrEqual(180_000)
    expect(pool.events).toHaveLength(3)
    expect(failures).toMatchObject([
      {
        requestContext: { condition: 'RetriesExhausted', approximateInvokeCount: 3 },
        requestPayload: { a: 1 },
        responsePayload: { errorMessage: 'no' },
      },
    ])
    expect(state.events()).toEqual([])
  })

  it('is taken up by the next host when this one stops in the middle', async () => {
    open(() => {
      invoker.close()
      return new Error('cut off')
    })
    invoker.enqueue('fn', { a: 1 })
    await idleness.idle()

    const pool = open(() => null)
    await idleness.idle()

    expect(pool.events).toEqual([{ a: 1 }])
    expect(state.events()).toEqual([])
  })
})
