import { describe, expect, it } from 'vitest'
import type { Ladder } from '../../modules/core/back-off.ts'
import { policyOf, taskPolicies, taskTypes } from '../../modules/core/task-policies.ts'
import { firstWaitsMs, times, waitMs } from '../support/core-builders.ts'

const HOUR_MS = 3_600_000

// Written down from docs/design/task-types.md, not from the code.
const hours = (count: number): string => Array<string>(count).fill('1h').join(' ')
const usual = '1m 3m 10m 30m 60m'
const endless = {
  QUERY_PAYMENT: ['5s 30s 2m 1m 3m 10m', '10m'],
  CLOSE_ORDER: ['1m 2m 5m 10m', '10m'],
  QUERY_REFUND: [`1m 1m 1m 1m 1m 5m 10m 20m 30m ${hours(23)}`, '6h'],
  SETTLE_CALLBACK: ['1s 2s 4s 8s 16s 32s', '1m'],
  NOTIFY: [usual, '1h'],
  FETCH_BILL: ['', '30m'],
} as const
const ending = {
  CLOSE_ATTEMPT: usual,
  DELIVER: usual,
  REFUND: usual,
  VERIFY_STATUS: usual,
  START_EXECUTION: usual,
  RESUME_EXECUTION: usual,
  SETTLEMENT_WRITEBACK: '1m 3m 10m',
  RELEASE_STOCK: '1m 3m 10m',
  REVIEW: '',
} as const
const namesOf = <Table extends object>(table: Table) => Object.keys(table) as (keyof Table)[]

describe('the ladder of each task type', () => {
  it('is named here', () => {
    expect([...namesOf(endless), ...namesOf(ending)].toSorted()).toEqual([...taskTypes].toSorted())
  })

  it.each(namesOf(ending))('of %s has the documented steps and then ends', (type) => {
    const steps = times(ending[type])

    expect(firstWaitsMs(taskPolicies[type].ladder, steps.length + 1)).toEqual([...steps, 'exhausted'])
  })

  it.each(namesOf(endless))('of %s has the documented steps and then an even rhythm', (type) => {
    const [text, rhythm] = endless[type]
    const steps = [...times(text), ...times(rhythm), ...times(rhythm)]

    expect(firstWaitsMs(taskPolicies[type].ladder, steps.length)).toEqual(steps)
    expect(waitMs(taskPolicies[type].ladder, 1000)).toBe(times(rhythm)[0])
  })

  it.each([
    ['CLOSE_ORDER', 2],
    ['SETTLE_CALLBACK', 0.5],
    ['NOTIFY', 24],
    ['QUERY_REFUND', 7 * 24],
    ['REVIEW', 0],
  ] as const)('of %s is cut off after %d h', (type, limit) => {
    expect(taskPolicies[type].totalMs).toBe(limit * HOUR_MS)
  })

  it.each(namesOf(ending))('of %s fits into its total time even when jitter is at its longest', (type) => {
    const longestMs = times(ending[type]).reduce((sum, step) => sum + step * 1.1, 0)

    expect(longestMs).toBeLessThanOrEqual(taskPolicies[type].totalMs)
  })

  it('of QUERY_PAYMENT outlasts the close of the order and the late watch of a day', () => {
    expect(taskPolicies.QUERY_PAYMENT.totalMs).toBeGreaterThan(24 * HOUR_MS + taskPolicies.CLOSE_ORDER.totalMs)
  })

  it('of QUERY_REFUND asks hourly for a day before it slows down', () => {
    const untilSlowMs = times(endless.QUERY_REFUND[0]).reduce((sum, step) => sum + step, 0)

    expect(untilSlowMs).toBeGreaterThanOrEqual(24 * HOUR_MS)
    expect(untilSlowMs).toBeLessThan(25 * HOUR_MS)
  })
})

describe('the policy in force', () => {
  const quick: Ladder = { kind: 'linear', stepMs: 1000, retries: 2 }
  const slow: Ladder = { kind: 'linear', stepMs: 9000, retries: 9 }

  it('is the default without an override', () => {
    expect(policyOf('REFUND', 'alipay', {})).toEqual(taskPolicies.REFUND)
  })

  it('takes the type over the default and the channel over the type, field by field', () => {
    const overrides = { REFUND: { ladder: slow, totalMs: 5 }, 'REFUND/alipay': { ladder: quick } }

    expect(policyOf('REFUND', 'alipay', overrides)).toEqual({ ...taskPolicies.REFUND, ladder: quick, totalMs: 5 })
    expect(policyOf('REFUND', 'stripe', overrides)).toEqual({ ...taskPolicies.REFUND, ladder: slow, totalMs: 5 })
    expect(policyOf('REFUND', undefined, overrides)).toEqual({ ...taskPolicies.REFUND, ladder: slow, totalMs: 5 })
    expect(policyOf('DELIVER', 'alipay', overrides)).toEqual(taskPolicies.DELIVER)
  })

  it('lets only one effect at a time on an order', () => {
    const effects = taskTypes.filter((type) => taskPolicies[type].effect)

    expect(effects).toEqual(['CLOSE_ORDER', 'CLOSE_ATTEMPT', 'DELIVER', 'REFUND'])
  })

  it.each([
    'CLOSE_ORDER',
    'CLOSE_ATTEMPT',
    'DELIVER',
    'REFUND',
    'QUERY_REFUND',
    'SETTLE_CALLBACK',
    'VERIFY_STATUS',
    'RELEASE_STOCK',
    'REVIEW',
  ] as const)('of %s ends with a ticket', (type) => {
    expect(taskPolicies[type].exhausted).toBe('MANUAL')
  })

  it('of NOTIFY ends closed, because it is kept for replay', () => {
    expect(taskPolicies.NOTIFY.exhausted).toBe('CLOSED')
  })

  it.each([
    ['channel', ['QUERY_PAYMENT', 'CLOSE_ATTEMPT', 'REFUND', 'QUERY_REFUND', 'VERIFY_STATUS', 'FETCH_BILL']],
    ['merchant', ['DELIVER', 'NOTIFY']],
  ] as const)('sends calls through the gate of the %s that they go to', (lane, types) => {
    expect(types.filter((type) => taskPolicies[type].lane !== lane)).toEqual([])
  })

  it.each(taskTypes)(
    'of %s holds a claim for longer than the worker runs and shorter than its message hides',
    (type) => {
      const workerTimeoutMs = 60_000

      expect(taskPolicies[type].leaseMs).toBeGreaterThan(workerTimeoutMs)
      expect(taskPolicies[type].leaseMs).toBeLessThan(6 * workerTimeoutMs)
    },
  )
})
