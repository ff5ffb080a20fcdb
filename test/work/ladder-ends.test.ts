import { expect, it } from 'vitest'
import { backOff, JITTER_SHARE, retriesOf } from '../../modules/core/back-off.ts'
import { decideRetry } from '../../modules/core/decide-retry.ts'
import type { Outcome } from '../../modules/core/outcome.ts'
import { taskPolicies, taskTypes } from '../../modules/core/task-policies.ts'
import { anInstant } from '../support/core-builders.ts'

const NOW = anInstant('2026-03-01T08:00:00.000Z')
const LATER = anInstant('2026-03-31T08:00:00.000Z')

it.each(taskTypes)(
  'the ladder of %s has a time for each of its tries and then ends at a person, or where a replay is',
  (type) => {
    const policy = taskPolicies[type]
    const unclear: Outcome = { kind: 'unknown' }
    const tries = retriesOf(policy.ladder) ?? 500

    const decisions = Array.from({ length: tries }, (_, retryCount) =>
      decideRetry({ retryCount, deadlineAt: LATER }, unclear, { policy: policy, now: NOW, jitter: 0.5 }),
    )
    const last =
      retriesOf(policy.ladder) === undefined
        ? decideRetry({ retryCount: tries, deadlineAt: NOW }, unclear, { policy: policy, now: NOW, jitter: 0.5 })
        : decideRetry({ retryCount: tries, deadlineAt: LATER }, unclear, { policy: policy, now: NOW, jitter: 0.5 })

    expect(decisions.every((decision) => decision.kind === 'retry' && decision.nextExecuteAt > NOW)).toBe(true)
    expect(last.kind).toBe(type === 'NOTIFY' ? 'close' : 'manual')
  },
)

it.each(taskTypes)('the total time of %s is longer than its ladder with all its jitter', (type) => {
  const { ladder, totalMs } = taskPolicies[type]
  const rungs = Array.from(
    { length: ladder.kind === 'steps' ? ladder.stepsMs.length : (retriesOf(ladder) ?? 0) },
    (_, n) => backOff(ladder, n + 1, 0.5),
  )

  const lengthMs = rungs.reduce((sum, rung) => sum + (rung.kind === 'retry' ? rung.delayMs : Number.NaN), 0)

  expect(lengthMs * (1 + JITTER_SHARE)).toBeLessThanOrEqual(totalMs)
})

const notFinal: readonly Outcome['kind'][] = ['notYet', 'transient', 'unknown', 'misconfigured']

it.each(notFinal)('"%s" is neither success nor refusal: the task comes again', (kind) => {
  const task = { retryCount: 0, deadlineAt: LATER }

  const decision = decideRetry(task, { kind }, { policy: taskPolicies.QUERY_PAYMENT, now: NOW, jitter: 0.5 })

  expect(['retry', 'pause']).toContain(decision.kind)
})
