import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decideRetry,
  MISCONFIGURED_MAX_MS,
  MISCONFIGURED_PAUSE_MS,
  type RetryState,
} from '../../modules/core/decide-retry.ts'
import { msOf, plusMs } from '../../modules/core/instant.ts'
import type { Outcome } from '../../modules/core/outcome.ts'
import { type TaskPolicy, taskPolicies, taskTypes } from '../../modules/core/task-policies.ts'
import { anInstant } from '../support/core-builders.ts'

const now = anInstant()
const deliver = taskPolicies.DELIVER
const fresh = { retryCount: 0, deadlineAt: plusMs(now, deliver.totalMs) }
const usedUp = { retryCount: 5, deadlineAt: plusMs(now, 1) }
const late = { retryCount: 0, deadlineAt: now }
const wrongRequest: Outcome = { kind: 'misconfigured', suspect: 'request' }
const unclear = ['notYet', 'transient', 'unknown'] as const

describe('after one attempt at a task', () => {
  it.each([fresh, usedUp, late])('done is success, also at the last moment', (task) => {
    expect(decideRetry(task, { kind: 'done' }, { policy: deliver, now: now, jitter: 0.5 })).toEqual({ kind: 'succeed' })
  })

  it.each(unclear)('%s is tried again on the next rung', (kind) => {
    const decision = decideRetry({ ...fresh, retryCount: 1 }, { kind }, { policy: deliver, now: now, jitter: 0.5 })

    expect(decision).toEqual({
      kind: 'retry',
      nextExecuteAt: anInstant('2026-03-01T08:03:00.000Z'),
      retryCount: 2,
      rule: 'steps 2',
    })
  })

  it.each(unclear)('%s waits longer when the other side asks for it', (kind) => {
    const decision = decideRetry(fresh, { kind, retryAfterMs: 600_000 }, { policy: deliver, now: now, jitter: 0.5 })

    expect(decision).toMatchObject({ kind: 'retry', nextExecuteAt: plusMs(now, 600_000), rule: 'Retry-After' })
  })

  it.each(unclear)('%s goes to a person when the retries are used up', (kind) => {
    const decision = decideRetry(usedUp, { kind }, { policy: deliver, now: now, jitter: 0.5 })

    expect(decision).toMatchObject({ kind: 'manual', reason: 'RETRIES_USED_UP' })
  })

  it.each(unclear)('%s goes to a person when the total time is used up, whatever retries are left', (kind) => {
    expect(decideRetry(late, { kind }, { policy: deliver, now: now, jitter: 0.5 })).toMatchObject({
      kind: 'manual',
      reason: 'TOTAL_TIME_USED_UP',
    })
    expect(
      decideRetry({ ...late, deadlineAt: plusMs(now, 1) }, { kind }, { policy: deliver, now: now, jitter: 0.5 }).kind,
    ).toBe('retry')
  })

  it.each(['rejected', 'mismatch'] as const)('%s goes to a person at once, with the code that came', (kind) => {
    const bare = decideRetry(fresh, { kind }, { policy: deliver, now: now, jitter: 0.5 })
    const coded = decideRetry(fresh, { kind, code: 'ACCOUNT_CLOSED' }, { policy: deliver, now: now, jitter: 0.5 })

    expect(bare).toEqual({ kind: 'manual', reason: kind.toUpperCase(), rule: kind })
    expect(coded).toEqual({ kind: 'manual', reason: 'ACCOUNT_CLOSED', rule: kind })
  })

  it.each([fresh, usedUp, late])('misconfigured pauses, uses no retry and makes no ticket', (task) => {
    const decision = decideRetry(task, { kind: 'misconfigured' }, { policy: deliver, now: now, jitter: 0.5 })

    expect(decision).toEqual({
      kind: 'pause',
      nextExecuteAt: plusMs(now, MISCONFIGURED_PAUSE_MS),
      rule: 'misconfigured',
    })
  })

  it('misconfigured goes to a person when every attempt of a day was, whatever time the task has left or has used up', () => {
    const since = { misconfiguredSince: plusMs(now, -MISCONFIGURED_MAX_MS) }

    for (const task of [fresh, usedUp, late]) {
      expect(
        decideRetry(
          { ...task, ...since },
          { kind: 'misconfigured', code: 'SIGN_ERROR' },
          { policy: deliver, now: now, jitter: 0.5 },
        ),
      ).toEqual({ kind: 'manual', reason: 'MISCONFIGURED_TOO_LONG', rule: 'a day misconfigured' })
      const justBefore = { ...task, misconfiguredSince: plusMs(now, 1 - MISCONFIGURED_MAX_MS) }
      expect(decideRetry(justBefore, { kind: 'misconfigured' }, { policy: deliver, now: now, jitter: 0.5 }).kind).toBe(
        'pause',
      )
    }
  })

  it.each([fresh, { ...fresh, retryCount: 4 }, usedUp, late])(
    'a request that is perhaps wrong by itself climbs the ladder as an unknown one does',
    (task) => {
      expect(decideRetry(task, wrongRequest, { policy: deliver, now: now, jitter: 0.5 })).toEqual(
        decideRetry(task, { kind: 'unknown' }, { policy: deliver, now: now, jitter: 0.5 }),
      )
    },
  )

  it.each(['unknown', 'rejected', 'mismatch'] as const)(
    'a notice to the merchant is closed and kept when its day is over in %s',
    (kind) => {
      const notify = taskPolicies.NOTIFY

      expect(decideRetry(late, { kind }, { policy: notify, now: now, jitter: 0.5 })).toMatchObject({
        kind: 'close',
        reason: 'TOTAL_TIME_USED_UP',
      })
      expect(
        decideRetry({ ...late, deadlineAt: plusMs(now, 1) }, { kind }, { policy: notify, now: now, jitter: 0.5 }).kind,
      ).toBe('retry')
    },
  )

  it('a notice that waits for a key is closed and kept after a day', () => {
    const waited = { retryCount: 0, misconfiguredSince: plusMs(now, -MISCONFIGURED_MAX_MS), deadlineAt: now }

    expect(
      decideRetry(waited, { kind: 'misconfigured' }, { policy: taskPolicies.NOTIFY, now: now, jitter: 0.5 }),
    ).toMatchObject({
      kind: 'close',
      reason: 'MISCONFIGURED_TOO_LONG',
    })
  })

  it('a review is with a person at once', () => {
    const decision = decideRetry(late, { kind: 'notYet' }, { policy: taskPolicies.REVIEW, now: now, jitter: 0.5 })

    expect(decision.kind).toBe('manual')
  })
})

const kinds = ['done', 'notYet', 'transient', 'unknown', 'rejected', 'mismatch', 'misconfigured'] as const
const outcomeOf = (...of: readonly Outcome['kind'][]): fc.Arbitrary<Outcome> =>
  fc.record(
    {
      kind: fc.constantFrom(...of),
      suspect: fc.constant('request' as const),
      retryAfterMs: fc.integer({ min: 0, max: 10 ** 9 }),
    },
    { requiredKeys: ['kind'] },
  )
const anyOutcome = outcomeOf(...kinds)
const anyTask = fc.record({
  retryCount: fc.integer({ min: 0, max: 60 }),
  misconfiguredSince: fc.option(
    fc.integer({ min: -(10 ** 9), max: 0 }).map((ms) => plusMs(now, ms)),
    { nil: undefined },
  ),
  deadlineAt: fc.integer({ min: -(10 ** 9), max: 10 ** 9 }).map((ms) => plusMs(now, ms)),
})
const anyPolicy = fc.constantFrom(...taskTypes.map((type) => taskPolicies[type]))
const anyJitter = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe('whatever the task and the outcome', () => {
  it('there is one decision, the same each time, and a next time lies ahead', () => {
    fc.assert(
      fc.property(anyTask, anyOutcome, anyPolicy, anyJitter, (task, outcome, policy, jitter) => {
        const decision = decideRetry(task, outcome, { policy: policy, now: now, jitter: jitter })

        expect(['succeed', 'retry', 'pause', 'manual', 'close']).toContain(decision.kind)
        expect(decideRetry(task, outcome, { policy: policy, now: now, jitter: jitter })).toEqual(decision)
        if ('nextExecuteAt' in decision) expect(decision.nextExecuteAt > now).toBe(true)
        if (decision.kind === 'retry') expect(decision.retryCount).toBe(task.retryCount + 1)
      }),
    )
  })

  it('only done is success', () => {
    fc.assert(
      fc.property(anyTask, anyOutcome, anyPolicy, (task, outcome, policy) => {
        const { kind } = decideRetry(task, outcome, { policy: policy, now: now, jitter: 0.5 })

        expect(kind === 'succeed').toBe(outcome.kind === 'done')
      }),
    )
  })
})

describe('a task that never hears an answer', () => {
  it.each(taskTypes)('%s ends by itself, and not in silence', (type) => {
    const policy = taskPolicies[type]
    const deadlineAt = plusMs(now, policy.totalMs)

    let at = now
    let decision = decideRetry(
      { retryCount: 0, deadlineAt },
      { kind: 'unknown' },
      { policy: policy, now: at, jitter: 0.5 },
    )
    for (let round = 0; decision.kind === 'retry' && round < 1000; round += 1) {
      at = decision.nextExecuteAt
      const task = { retryCount: decision.retryCount, deadlineAt }
      decision = decideRetry(task, { kind: 'unknown' }, { policy: policy, now: at, jitter: 0.5 })
    }

    expect(decision.kind).toBe(policy.exhausted === 'CLOSED' ? 'close' : 'manual')
  })
})

const LONGEST_STEP_MS = 6.6 * 60 * 60 * 1000

/** Plays outcomes in turn, over and over. @returns how the task ends, or 'never', and when */
function playOutcomes(policy: TaskPolicy, outcomes: readonly Outcome[], jitter: number) {
  let task: RetryState = { retryCount: 0, deadlineAt: plusMs(now, policy.totalMs) }
  let at = now
  for (let round = 0; round < 10_000; round += 1) {
    const decision = decideRetry(task, outcomes[round % outcomes.length] ?? { kind: 'unknown' }, {
      policy: policy,
      now: at,
      jitter: jitter,
    })
    if (!('nextExecuteAt' in decision)) return { end: decision.kind, afterMs: msOf(at) - msOf(now) }
    const waitMs = msOf(decision.nextExecuteAt) - msOf(at)
    const { deadlineAt, misconfiguredSince = at } = task
    task =
      decision.kind === 'retry'
        ? { deadlineAt, retryCount: decision.retryCount }
        : { ...task, misconfiguredSince, deadlineAt: plusMs(deadlineAt, waitMs) }
    at = decision.nextExecuteAt
  }
  return { end: 'never' }
}

describe('whatever outcomes a task has, in any order', () => {
  it.each(taskTypes)('%s ends, and a failure not in silence', (type) => {
    const policy = taskPolicies[type]
    const failures = fc.array(outcomeOf(...kinds.filter((kind) => kind !== 'done')), { minLength: 1, maxLength: 6 })

    fc.assert(
      fc.property(failures, anyJitter, (outcomes, jitter) => {
        const { end, afterMs } = playOutcomes(policy, outcomes, jitter)

        expect(end).toBe(policy.exhausted === 'CLOSED' ? 'close' : 'manual')
        expect(afterMs).toBeLessThanOrEqual(2 * (policy.totalMs + MISCONFIGURED_MAX_MS) + LONGEST_STEP_MS)
      }),
      { numRuns: 30, examples: [[[{ kind: 'misconfigured' }], 0.5]] },
    )
  })
})
