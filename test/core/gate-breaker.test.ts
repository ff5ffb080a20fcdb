import fc from 'fast-check'
import { expect, it } from 'vitest'
import { gateDefaults } from '../../modules/core/gate/config.ts'
import { PROBE_GRACE_MS, PROBE_LEASE_MS } from '../../modules/core/gate/gate.ts'
import { type CallReport, pauseGate, resumeGate, signOf } from '../../modules/core/gate/report.ts'
import { LaneGate } from '../../modules/gate/lane-gate.ts'
import { LaneModel } from '../gate/lane-model.ts'

const T0 = 1_800_000_000_000
const OPEN_MS = gateDefaults.openMs

const aLane = () => {
  const lane = new LaneModel()
  const aWorker = () => new LaneGate(lane, 'lane', gateDefaults)
  return { lane, worker: aWorker(), aWorker }
}

const aReport = (change: Partial<CallReport> = {}): CallReport => ({
  epoch: 1,
  kind: 'done',
  latencyMs: 100,
  ...change,
})

/** Calls and reports until the breaker opens. @returns the moment of opening */
async function openBreaker(worker: LaneGate, lane: LaneModel, startMs = T0): Promise<number> {
  for (let call = 0; call < 100; call++) {
    const nowMs = startMs + call * 100
    const take = await worker.take(false, nowMs, undefined)
    if (await isOpened(worker, take.epoch, nowMs)) return nowMs
  }
  throw new Error(`The breaker stayed ${lane.row?.state}.`)
}

const isOpened = async (worker: LaneGate, epoch: number, nowMs: number) =>
  (await worker.report(aReport({ epoch, kind: 'unknown' }), nowMs)) === 'STOPPED'

it('the breaker opens at twenty calls of which half failed, and not before', async () => {
  const { lane, worker } = aLane()

  const openedMs = await openBreaker(worker, lane)

  expect(openedMs).toBe(T0 + 19 * 100)
  expect(lane.row).toMatchObject({ state: 'STOPPED', openUntil: openedMs + OPEN_MS, calls: 20, failures: 20 })
})

it('fewer failures than half leave the breaker closed', async () => {
  const { lane, worker } = aLane()
  for (let call = 0; call < 100; call++) {
    const { epoch } = await worker.take(true, T0 + call * 100, undefined)
    await worker.report(
      aReport({ epoch, kind: call % 5 === 0 || call % 5 === 2 ? 'transient' : 'done' }),
      T0 + call * 100 + 50,
    )
  }

  expect(lane.row).toMatchObject({ state: 'PASSING', epoch: 1, failures: 40 })
})

it('failures of an earlier window do not count', async () => {
  const { lane, worker } = aLane()
  const { epoch } = await worker.take(false, T0, undefined)
  for (let call = 0; call < 19; call++) await worker.report(aReport({ epoch: epoch - 1, kind: 'unknown' }), T0 + call)

  await worker.report(aReport({ epoch, kind: 'unknown' }), T0 + gateDefaults.windowMs)

  expect(lane.row).toMatchObject({ state: 'PASSING', windowAt: T0 + gateDefaults.windowMs, calls: 1, failures: 1 })
})

it('an open breaker parks every task behind the opening, each at its own slot, the first few as probes', async () => {
  const { lane, worker } = aLane()
  const openedMs = await openBreaker(worker, lane)

  const takes = await Promise.all(Array.from({ length: 10 }, () => worker.take(false, openedMs + 10, undefined)))

  const slots = takes.map((take) => (take.kind === 'park' ? take.slotMs - openedMs - OPEN_MS : undefined))
  expect(takes.every((take) => take.kind === 'park' && take.reason === 'STOPPED')).toBe(true)
  expect(slots).toEqual([0, 0, 0, 5_000, 5_062.5, 5_125, 5_187.5, 5_250, 5_312.5, 5_375])
})

it('a good probe closes the breaker, and slots given behind the opening hold', async () => {
  const { lane, worker } = aLane()
  const openedMs = await openBreaker(worker, lane)
  const [probe, , , parked] = await Promise.all(
    Array.from({ length: 4 }, () => worker.take(false, openedMs, undefined)),
  )
  if (probe?.kind !== 'park' || parked?.kind !== 'park') throw new Error('An open breaker lets nothing go.')

  const go = await worker.take(false, probe.slotMs, probe)
  const change = await worker.report(aReport({ epoch: go.epoch }), probe.slotMs + 100)
  const next = await worker.take(false, parked.slotMs, parked)

  expect([go.kind, change, next.kind]).toEqual(['go', 'PASSING', 'go'])
  expect(lane.row).toMatchObject({ state: 'PASSING', calls: 0, failures: 0 })
})

it('a failed probe opens the breaker again and voids the slots behind it', async () => {
  const { lane, worker } = aLane()
  const openedMs = await openBreaker(worker, lane)
  const [probe, , , parked] = await Promise.all(
    Array.from({ length: 4 }, () => worker.take(false, openedMs, undefined)),
  )
  if (probe?.kind !== 'park' || parked?.kind !== 'park') throw new Error('An open breaker lets nothing go.')

  const go = await worker.take(false, probe.slotMs, probe)
  const change = await worker.report(aReport({ epoch: go.epoch, kind: 'unknown' }), probe.slotMs + 100)
  const next = await worker.take(false, parked.slotMs, parked)

  expect(change).toBe('STOPPED')
  expect(next).toMatchObject({ kind: 'park', epoch: go.epoch + 1, reason: 'STOPPED' })
  expect(lane.row?.openUntil).toBe(probe.slotMs + 100 + OPEN_MS)
})

it('a slot behind the opening does not count as a probe: its task waits until one has answered', async () => {
  const { lane, worker } = aLane()
  const openedMs = await openBreaker(worker, lane)
  const [, , , parked] = await Promise.all(Array.from({ length: 4 }, () => worker.take(false, openedMs, undefined)))
  if (parked?.kind !== 'park') throw new Error('An open breaker lets nothing go.')

  const early = await worker.take(false, parked.slotMs, parked)

  expect(early).toMatchObject({ kind: 'park', reason: 'STOPPED' })
})

it('probes whose answers never came make room for another round', async () => {
  const { lane, worker } = aLane()
  const openedMs = await openBreaker(worker, lane)
  await Promise.all(Array.from({ length: 3 }, () => worker.take(false, openedMs, undefined)))

  const early = await worker.take(true, openedMs + OPEN_MS + 1_000, undefined)
  const later = await worker.take(true, openedMs + OPEN_MS + PROBE_LEASE_MS, undefined)

  expect(early).toMatchObject({ kind: 'park', slotMs: openedMs + OPEN_MS + 1_000 + PROBE_GRACE_MS })
  expect(later.kind).toBe('go')
})

it('at most three probes go before an answer, however many workers ask', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ worker: fc.nat(4), afterMs: fc.integer({ min: -50_000, max: 14_000 }) }), { maxLength: 40 }),
      async (asks) => {
        const { lane, worker, aWorker } = aLane()
        const openedMs = await openBreaker(worker, lane)
        const endMs = openedMs + OPEN_MS
        const workers = Array.from({ length: 5 }, aWorker)
        const inOrder = asks.toSorted((a, b) => a.afterMs - b.afterMs)

        const takes = await Promise.all(
          inOrder.map((ask) => workers[ask.worker]?.take(false, endMs + ask.afterMs, undefined)),
        )
        const tickets = takes.filter((take) => take?.kind === 'park' && take.slotMs === endMs)
        const gone = takes.filter((take) => take?.kind === 'go')

        expect(tickets.length + gone.length).toBeLessThanOrEqual(gateDefaults.probes)
      },
    ),
    { numRuns: 100 },
  )
})

it('one 429 lowers the rate once for all calls that were under way, and voids their slots', async () => {
  const { lane, worker, aWorker } = aLane()
  const other = aWorker()
  const { epoch } = await worker.take(false, T0, undefined)
  await other.take(false, T0, undefined)

  const changes = [
    await worker.report(aReport({ epoch, kind: 'transient', httpStatus: 429, retryAfterMs: 3_000 }), T0 + 100),
    await other.report(aReport({ epoch, kind: 'transient', httpStatus: 429 }), T0 + 110),
    await other.report(aReport({ epoch, kind: 'unknown', httpStatus: 429 }), T0 + 120),
  ]

  expect(changes).toEqual(['SLOWED', undefined, undefined])
  expect(lane.row).toMatchObject({ epoch: 2, intervalMs: 75, tat: T0 + 3_100, failures: 3 })
})

it.each([
  ['failed', { kind: 'unknown' }],
  ['slow', { latencyMs: 3_000 }],
] as const)('one %s answer is chance, a second in a row lowers the rate', async (_sign, bad) => {
  const { lane, worker } = aLane()
  const { epoch } = await worker.take(false, T0, undefined)

  const changes = [
    await worker.report(aReport({ epoch, ...bad }), T0 + 1),
    await worker.report(aReport({ epoch }), T0 + 2),
    await worker.report(aReport({ epoch, ...bad }), T0 + 3),
    await worker.report(aReport({ epoch, ...bad }), T0 + 4),
    await worker.report(aReport({ epoch, ...bad }), T0 + 5),
  ]

  expect(changes).toEqual([undefined, undefined, undefined, 'SLOWED', undefined])
  expect(lane.row).toMatchObject({ epoch: 2, intervalMs: 75 })
})

it('a misconfigured answer pauses the lane at once, and only one report is told so', async () => {
  const { lane, worker, aWorker } = aLane()
  const { epoch } = await worker.take(false, T0, undefined)
  const workers = [worker, aWorker(), aWorker()]

  const changes = await Promise.all(
    workers.map((each) => each.report(aReport({ epoch, kind: 'misconfigured' }), T0 + 50)),
  )
  const take = await worker.take(true, T0 + 60, undefined)

  expect(changes.filter((change) => change === 'PAUSED')).toHaveLength(1)
  expect(take).toMatchObject({ kind: 'park', reason: 'PAUSED', slotMs: T0 + 50 + gateDefaults.pauseMs })
  expect(lane.row).toMatchObject({ state: 'PAUSED', reason: 'MISCONFIGURED', failures: 0 })
})

const aDoubt = (epoch: number, subject: string) =>
  aReport({ epoch, kind: 'misconfigured', suspect: 'request', subject, httpStatus: 400 })

/** Reports doubted answers of these subjects, or good ones for '+' and failed ones for '-'. @returns the changes */
async function reportAll(worker: LaneGate, epoch: number, subjects: string): Promise<unknown[]> {
  const changes: unknown[] = []
  for (const [index, subject] of [...subjects].entries()) {
    const other = subject === '+' ? aReport({ epoch }) : aReport({ epoch, kind: 'unknown' })
    const report = subject === '+' || subject === '-' ? other : aDoubt(epoch, subject)
    changes.push(await worker.report(report, T0 + 50 + index))
  }
  return changes
}

it('requests of three orders that are refused with no answer between them pause the lane', async () => {
  const { lane, worker } = aLane()
  const { epoch } = await worker.take(false, T0, undefined)

  const changes = await reportAll(worker, epoch, 'AB-C')

  expect(changes).toEqual([undefined, undefined, undefined, 'PAUSED'])
  expect(lane.row).toMatchObject({
    state: 'PAUSED',
    reason: 'WRONG_REQUESTS',
    openUntil: T0 + 53 + gateDefaults.pauseMs,
  })
})

it.each(['AAAAAAAA', 'ABABABAB', 'AB+AB+AB+C', 'ABCDEF'.split('').join('+')])(
  'a few orders whose requests are refused, over and over or between good answers (%s), stop nobody',
  async (subjects) => {
    const { lane, worker } = aLane()
    const { epoch } = await worker.take(false, T0, undefined)

    const changes = await reportAll(worker, epoch, subjects)

    expect(changes.every((change) => change === undefined)).toBe(true)
    expect(lane.row).toMatchObject({ state: 'PASSING', epoch, failures: 0 })
  },
)

it('a refused request is an answer: failures before and behind it are not in a row', async () => {
  const { lane, worker } = aLane()
  const { epoch } = await worker.take(false, T0, undefined)

  const changes = await reportAll(worker, epoch, '-A-A-A')

  expect(changes.every((change) => change === undefined)).toBe(true)
  expect(lane.row).toMatchObject({ epoch, failures: 3 })
})

it('a refused request neither closes nor opens a breaker: the next probe decides', async () => {
  const { lane, worker } = aLane()
  const openedMs = await openBreaker(worker, lane)
  const endMs = openedMs + OPEN_MS
  const probes = await Promise.all(Array.from({ length: 2 }, () => worker.take(true, endMs, undefined)))

  const first = await worker.report(aDoubt(probes[0]?.epoch ?? 0, 'A'), endMs + 100)
  const between = lane.row?.state
  const second = await worker.report(aReport({ epoch: probes[1]?.epoch ?? 0 }), endMs + 200)

  expect(probes.map(({ kind }) => kind)).toEqual(['go', 'go'])
  expect([first, between, second]).toEqual([undefined, 'STOPPED', 'PASSING'])
})

it('a lane whose probes are taken and never reported lets another round go, and is not half open for ever', async () => {
  const { lane, worker } = aLane()
  const { epoch } = await worker.take(false, T0, undefined)
  await worker.report(aReport({ epoch, kind: 'misconfigured' }), T0 + 50)
  const endMs = T0 + 50 + gateDefaults.pauseMs
  const lost = await Promise.all(Array.from({ length: 3 }, () => worker.take(true, endMs, undefined)))

  const parked = await worker.take(true, endMs + 1, undefined)
  const probe = await worker.take(true, endMs + PROBE_LEASE_MS, undefined)
  const change = await worker.report(aReport({ epoch: probe.epoch }), endMs + PROBE_LEASE_MS + 100)

  expect(lost.map(({ kind }) => kind)).toEqual(['go', 'go', 'go'])
  expect([parked.kind, probe.kind, change]).toEqual(['park', 'go', 'PASSING'])
  expect(lane.row).toMatchObject({ state: 'PASSING', reason: '' })
})

it('a person pauses a lane that was never used, and resumes it at once', async () => {
  const { worker } = aLane()

  await worker.change((row) => pauseGate(row, T0 + 3_600_000, 'maintenance'), T0)
  const paused = await worker.take(true, T0 + 1, undefined)
  await worker.change((row) => resumeGate(row, T0 + 2), T0 + 2)
  const resumed = await worker.take(true, T0 + 3, undefined)

  expect(paused).toMatchObject({ kind: 'park', reason: 'PAUSED', slotMs: T0 + 3_600_000 })
  expect(resumed).toMatchObject({ kind: 'go', afterMs: 0 })
})

it.each([
  ['done', 'good'],
  ['notYet', 'good'],
  ['rejected', 'good'],
  ['mismatch', 'good'],
  ['transient', 'failed'],
  ['unknown', 'failed'],
  ['misconfigured', 'misconfigured'],
] as const)('%s is a %s sign: a refusal is an answer, silence is not', (kind, sign) => {
  expect(signOf(aReport({ kind }), gateDefaults)).toBe(sign)
})
