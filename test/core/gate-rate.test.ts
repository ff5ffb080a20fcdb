import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkGateConfig, type GateConfig, gateConfigOf, gateDefaults } from '../../modules/core/gate/config.ts'
import { planTake, redeemSlot, type TakeAnswer, wakeAtMs } from '../../modules/core/gate/gate.ts'
import { raisedMs, slowedMs, stepMs } from '../../modules/core/gate/rate.ts'
import { newGateRow } from '../../modules/core/gate/row.ts'
import { LaneGate } from '../../modules/gate/lane-gate.ts'
import { LaneModel } from '../gate/lane-model.ts'
import { mostWithin } from '../gate/storm.ts'

const T0 = 1_800_000_000_000

const aConfig = (perS: number, change: Partial<GateConfig> = {}): GateConfig => ({
  ...gateDefaults,
  startPerS: perS,
  maxPerS: perS,
  ...change,
})

/** When a call goes that was let go or parked at `nowMs`. */
const callMs = (answer: TakeAnswer, nowMs: number) =>
  answer.kind === 'go' ? nowMs + answer.afterMs : Math.max(nowMs, answer.slotMs)

/** Moments at which some workers ask at once, each as so many live and other calls. */
const moments = fc.array(
  fc.record({
    gapMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 20_000 })),
    asks: fc.array(fc.record({ worker: fc.nat(5), live: fc.boolean() }), { minLength: 1, maxLength: 12 }),
  }),
  { minLength: 1, maxLength: 30 },
)

const backlogOf = (steps: Moments): Moments =>
  steps.map(({ gapMs, asks }) => ({ gapMs, asks: asks.map(({ worker }) => ({ worker, live: false })) }))

type Moments = typeof moments extends fc.Arbitrary<infer T> ? T : never

/** @param skewsMs how far each worker's clock is off */
async function takeAll(config: GateConfig, steps: Moments, skewsMs: readonly number[] = []) {
  const lane = new LaneModel()
  const workers = Array.from({ length: 6 }, () => new LaneGate(lane, 'lane', config))
  const calls: { readonly atMs: number; readonly live: boolean }[] = []
  let nowMs = T0
  for (const { gapMs, asks } of steps) {
    nowMs += gapMs
    await Promise.all(
      asks.map(async ({ worker, live }) => {
        const clockMs = nowMs + (skewsMs[worker] ?? 0)
        const answer = await workers[worker]?.take(live, clockMs, undefined)
        if (answer !== undefined) calls.push({ atMs: callMs(answer, clockMs), live })
      }),
    )
  }
  return { calls, lane }
}

it('no window sees more calls than rate × time + burst, however many workers ask at once', async () => {
  await fc.assert(
    fc.asyncProperty(
      moments,
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 0, max: 1000 }),
      fc.integer({ min: 1, max: 10_000 }),
      async (steps, perS, burstMs, windowMs) => {
        const config = aConfig(perS, { burstMs })

        const { calls } = await takeAll(config, steps)

        // A window of w ms meets w/step slots, the burst before it, and one for its edge; and that for either bucket.
        const limit = ((windowMs + burstMs) * perS) / 1000 + 2
        expect(
          mostWithin(
            calls.map(({ atMs }) => atMs),
            windowMs,
          ),
        ).toBeLessThanOrEqual(limit + 1e-3)
      },
    ),
    { numRuns: 150 },
  )
})

it('slots of a backlog are distinct and a step apart, even when the clocks of the workers differ', async () => {
  const skews = fc.array(fc.integer({ min: -2_000, max: 2_000 }), { minLength: 6, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(moments, skews, async (steps, skewsMs) => {
      const config = aConfig(50, { burstMs: 0 })

      const { calls } = await takeAll(config, backlogOf(steps), skewsMs)

      // 50 a second, of which a fifth is kept for live traffic: 25 ms.
      const slots = calls.map(({ atMs }) => atMs).toSorted((a, b) => a - b)
      const gaps = slots.slice(1).map((slot, index) => slot - (slots[index] ?? 0))
      expect(Math.min(...gaps, 25)).toBeGreaterThanOrEqual(25)
    }),
    { numRuns: 100 },
  )
})

it('a take of a backlog loses at most one write: to another worker that moved an idle lane meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(moments, async (steps) => {
      const { calls, lane } = await takeAll(aConfig(50), backlogOf(steps))

      expect(lane.writes - lane.lost).toBeLessThanOrEqual(calls.length)
      expect(lane.lost).toBeLessThanOrEqual(lane.writes - lane.lost)
    }),
    { numRuns: 100 },
  )
})

it('first tries go within two seconds in front of a backlog of 5,000', async () => {
  const lane = new LaneModel()
  const [busy, other] = [new LaneGate(lane, 'lane', aConfig(100)), new LaneGate(lane, 'lane', aConfig(100))]
  await other.take(true, T0, undefined)
  await Promise.all(Array.from({ length: 5_000 }, () => busy.take(false, T0, undefined)))

  const answers = await Promise.all(Array.from({ length: 40 }, () => other.take(true, T0 + 30, undefined)))

  expect(answers.map(({ kind }) => kind)).toEqual(Array.from({ length: 40 }, () => 'go'))
})

it.each([
  ['is caught up', 60, [12.5, 25, 37.5, 50, 62.5, 75]],
  ['is lost when it is longer than the burst', 70, [70, 82.5, 95, 107.5, 120, 132.5]],
])('unused time %s', async (_what, afterMs, slots) => {
  const worker = new LaneGate(new LaneModel(), 'lane', aConfig(100, { burstMs: 50 }))
  await worker.take(false, T0, undefined)
  const nowMs = T0 + afterMs

  const takes = await Promise.all(slots.map(() => worker.take(false, nowMs, undefined)))

  expect(takes.map((take) => callMs(take, nowMs) - T0)).toEqual(slots.map((slot) => Math.max(slot, afterMs)))
})

it('without a backlog, first tries have the whole rate', async () => {
  const worker = new LaneGate(new LaneModel(), 'lane', aConfig(100, { burstMs: 0 }))

  const answers = await Promise.all(Array.from({ length: 10 }, () => worker.take(true, T0, undefined)))
  const later: TakeAnswer[] = []
  for (let index = 0; index < 190; index++) later.push(await worker.take(true, T0, undefined))

  const lastMs = Math.max(...[...answers, ...later].map((answer) => callMs(answer, T0)))
  expect(lastMs - T0).toBeLessThanOrEqual(2_100)
})

it('a slot up to two seconds away is waited for, a later one parks the task until then', async () => {
  const worker = new LaneGate(new LaneModel(), 'lane', aConfig(1, { headroomShare: 0.5 }))
  const takes: TakeAnswer[] = []
  for (let index = 0; index < 3; index++) takes.push(await worker.take(false, T0, undefined))

  expect(takes).toEqual([
    { kind: 'go', afterMs: 0, epoch: 1 },
    { kind: 'go', afterMs: 2_000, epoch: 1 },
    { kind: 'park', slotMs: T0 + 4_000, epoch: 1, reason: 'RATE' },
  ])
})

it.each([
  ['at its slot', 0, { kind: 'go', afterMs: 0, epoch: 3 }],
  ['a little early', -1_500, { kind: 'go', afterMs: 1_500, epoch: 3 }],
  ["before the next one's turn", 62, { kind: 'go', afterMs: 0, epoch: 3 }],
  ['later', 63, undefined],
  ['far too early', -30_000, { kind: 'park', slotMs: T0, epoch: 3, reason: 'RATE' }],
])('a reservation that comes %s is honoured or not, so that slots never pile up', (_when, lateMs, expected) => {
  const row = { ...newGateRow(gateDefaults, T0), epoch: 3 }

  expect(redeemSlot(row, { slotMs: T0, epoch: 3 }, T0 + lateMs, gateDefaults)).toEqual(expected)
})

it('a reservation of another epoch is void', () => {
  const row = { ...newGateRow(gateDefaults, T0), epoch: 4 }

  expect(redeemSlot(row, { slotMs: T0, epoch: 3 }, T0, gateDefaults)).toBeUndefined()
})

it('a parked task is woken within two seconds before its slot, or a good minute before a distant one', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2_001, max: 600_000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (aheadMs, random) => {
        const beforeMs = aheadMs - (wakeAtMs(T0 + aheadMs, T0, random) - T0)

        if (aheadMs <= 60_000) expect(beforeMs).toBeLessThanOrEqual(1_900)
        else expect(beforeMs).toBeLessThanOrEqual(61_500)
        expect(beforeMs).toBeGreaterThan(1_600)
      },
    ),
  )
})

it('no pause and no slot is slept for more than ten minutes, and those parked at one moment come apart', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 48 * 3_600_000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (aheadMs, random) => {
        expect(wakeAtMs(T0 + aheadMs, T0, random) - T0).toBeLessThanOrEqual(10 * 60_000)
      },
    ),
  )
  const wakes = [0, 0.25, 0.5, 0.75].map((random) => wakeAtMs(T0 + 24 * 3_600_000, T0, random))
  expect(new Set(wakes).size).toBe(4)
})

it('a full second of good answers raises the rate by raisePerS, in use only', () => {
  const config = { ...gateDefaults, raisePerS: 2 }
  const row = { ...newGateRow(config, T0), epoch: 1, tat: T0 + 500 }

  expect(1000 / raisedMs(row, 20, T0, config)).toBeCloseTo(22, 1)
  expect(raisedMs({ ...row, tat: T0 }, 20, T0, config)).toBe(row.intervalMs)
})

it('a decrease takes a third of the rate, which stays within its bounds whatever happens', () => {
  const row = { ...newGateRow(gateDefaults, T0), epoch: 1 }
  expect(1000 / slowedMs(row, gateDefaults)).toBeCloseTo((20 * 2) / 3, 6)

  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(500), { nil: undefined }), { maxLength: 60 }), (goods) => {
      let intervalMs = row.intervalMs
      for (const good of goods) {
        const now = { ...row, intervalMs, tat: T0 + 1 }
        intervalMs = good === undefined ? slowedMs(now, gateDefaults) : raisedMs(now, good, T0, gateDefaults)
        expect(1000 / intervalMs).toBeGreaterThanOrEqual(gateDefaults.minPerS)
        expect(1000 / intervalMs).toBeLessThanOrEqual(gateDefaults.maxPerS)
      }
    }),
  )
})

it('both buckets together make the rate', () => {
  const row = newGateRow(aConfig(125), T0)

  expect(1000 / stepMs(row, 'tat', aConfig(125))).toBeCloseTo(100, 3)
  expect(1000 / stepMs(row, 'liveTat', aConfig(125))).toBeCloseTo(25, 3)
})

it('good answers ride on the next take', () => {
  const row = { ...newGateRow(gateDefaults, T0), epoch: 1, calls: 7 }

  const { write } = planTake(row, { live: false, count: 1, goodAnswers: 3, nowMs: T0 }, gateDefaults)

  expect(write.add).toMatchObject({ calls: 3, failures: 0 })
})

it('the defaults pass their own check, and a wrong figure is named', () => {
  expect(checkGateConfig('stripe', gateConfigOf('stripe', {}))).toEqual([])

  const faults = checkGateConfig(
    'stripe',
    gateConfigOf('stripe', { stripe: { minPerS: 0, startPerS: 200, probes: 0 } }),
  )

  expect(faults).toEqual([
    'gate.stripe.minPerS: 0 must be above 0; to stop a lane, pause it.',
    'gate.stripe.startPerS: 200 must be at most maxPerS (100).',
    'gate.stripe.probes: 0 must be a whole number, 1 or more.',
  ])
})
