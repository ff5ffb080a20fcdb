import { readFileSync } from 'node:fs'
import { afterEach, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { countedReasons } from '../../../functions/ingress/count-refusal.ts'
import { taskTypes } from '../../../modules/core/task-policies.ts'
import { emitMetric, type MetricFields, metricDimensions } from '../../../modules/runtime/telemetry/metrics.ts'

/** What docs/design/metrics.md allows, with this many channels. */
const MOST_SERIES = 150
const CHANNELS = 6

/** Types that are carried out: only they have attempts. */
function handledTypes(): readonly string[] {
  const source = readFileSync(new URL('../../../functions/work/handler.ts', import.meta.url), 'utf8')
  return taskTypes.filter((type) => new RegExp(`^\\s+${type}: \\w+Handler\\(`, 'm').test(source))
}

function valuesOf(metric: string, field: keyof MetricFields): number {
  const isOfGate = metric.startsWith('Gate')
  const counts = {
    channel: CHANNELS,
    reason: new Set(Object.values(countedReasons)).size,
    // CALLBACK, QUERY, RECONCILIATION
    source: 3,
    // The channels, the merchant, and the work inside, which passes no gate of its own.
    lane: CHANNELS + (isOfGate ? 1 : 2),
    taskType: handledTypes().length,
  }
  return counts[field]
}

const allSets: Readonly<Record<string, readonly (readonly (keyof MetricFields)[])[]>> = metricDimensions

const seriesOf = (metric: string): number =>
  (allSets[metric] ?? []).reduce(
    (sum, set) => sum + set.reduce((product, field) => product * valuesOf(metric, field), 1),
    0,
  )

const embedded = z.looseObject({
  _aws: z.object({
    Timestamp: z.number(),
    CloudWatchMetrics: z.array(
      z.object({
        Namespace: z.string(),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.object({ Name: z.string(), Unit: z.string() })),
      }),
    ),
  }),
})

function emitted(emit: () => void): z.output<typeof embedded> {
  const lines: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    lines.push(String(chunk))
    return true
  })
  emit()
  return embedded.parse(JSON.parse(lines.join('')))
}

afterEach(() => vi.restoreAllMocks())

it('six channels make at most 150 series', () => {
  const total = Object.keys(allSets).reduce((sum, metric) => sum + seriesOf(metric), 0)

  expect(handledTypes().length).toBeGreaterThanOrEqual(5)
  expect(total).toBeLessThanOrEqual(MOST_SERIES)
})

it('refusals are counted by at most 8 reasons', () => {
  expect(new Set(Object.values(countedReasons)).size).toBeLessThanOrEqual(8)
})

it('a line holds the value under its name and is counted by each of its sides', () => {
  const line = emitted(() => emitMetric('Attempts', { lane: 'alipay', taskType: 'REFUND' }))

  expect(line).toMatchObject({ lane: 'alipay', taskType: 'REFUND', Attempts: 1 })
  expect(line._aws.CloudWatchMetrics).toEqual([
    { Namespace: 'Backstop', Dimensions: [['lane'], ['taskType']], Metrics: [{ Name: 'Attempts', Unit: 'Count' }] },
  ])
})

it('a side that costs no series of its own still stands in the line, for queries', () => {
  const line = emitted(() => emitMetric('PaymentLate', { channel: 'stripe' }))

  expect(line).toMatchObject({ channel: 'stripe', PaymentLate: 1 })
  expect(line._aws.CloudWatchMetrics[0]?.Dimensions).toEqual([[]])
})

it('an applied payment is counted by its channel and by who brought it', () => {
  const line = emitted(() => emitMetric('PaymentApplied', { channel: 'stripe', source: 'QUERY' }))

  expect(line._aws.CloudWatchMetrics[0]?.Dimensions).toEqual([['channel'], ['source']])
})

it('seconds are told as seconds', () => {
  const line = emitted(() => emitMetric('OldestDueSeconds', { lane: 'merchant' }, 90, 'Seconds'))

  expect(line).toMatchObject({ OldestDueSeconds: 90 })
  expect(line._aws.CloudWatchMetrics[0]?.Metrics).toEqual([{ Name: 'OldestDueSeconds', Unit: 'Seconds' }])
})
