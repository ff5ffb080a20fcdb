import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { instantOf } from '../../modules/core/instant.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import {
  allOf,
  type Condition,
  claimIsOurs,
  collectionIs,
  dueAtIs,
  effectIsOurs,
  isAbsent,
  noOtherEffect,
  oneOf,
  revIs,
  rowExists,
  rowIsNew,
  rowIsNewOr,
  stockIsAvailable,
  taskIsDue,
  wakeIs,
} from '../../modules/ledger/table/conditions.ts'
import { check } from '../../modules/ledger/table/writes.ts'
import { anInstant } from '../support/core-builders.ts'
import { openTestLedger } from '../support/ledger.ts'
import { putRaw } from '../support/ledger-builders.ts'

const { ledger } = await openTestLedger()
const NOW = anInstant()
const times = [0, 1, 2].map((step) => instantOf(Date.parse(NOW) + (step - 1) * 1000))
const [before = NOW, at = NOW, after = NOW] = times

const conditions: readonly Condition[] = [
  rowIsNew,
  rowExists,
  rowIsNewOr('GUARD'),
  revIs(2),
  taskIsDue(at),
  claimIsOurs('me', 2),
  noOtherEffect(at, 'MINE'),
  effectIsOurs('MINE', 2),
  dueAtIs(at),
  wakeIs(at),
  collectionIs('A'),
  stockIsAvailable(2),
  isAbsent('closedAt'),
  oneOf('statusIs', 'status', ['WAITING', 'RETRY']),
]

const maybe = <T>(...values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined })
const instants = maybe(before, at, after)
const rows = fc.option(
  fc.record({
    et: fc.constantFrom('GUARD', 'TASK'),
    rev: fc.constantFrom(1, 2),
    nextExecuteAt: instants,
    lockedBy: maybe('me', 'you'),
    fence: maybe(1, 2),
    activeTask: fc.option(
      fc.record({
        taskNo: fc.constantFrom('MINE', 'OTHER'),
        fence: fc.constantFrom(1, 2),
        leaseUntil: fc.constantFrom(...times),
      }),
      { nil: undefined },
    ),
    dueAt: instants,
    wake: instants,
    collection: maybe('A', 'B'),
    available: maybe(1, 2, 3),
    closedAt: instants,
    status: maybe('WAITING', 'RETRY', 'MANUAL'),
  }),
  { nil: undefined },
)

describe('what a condition says of a row here', () => {
  it('is what DynamoDB says of it, and the arm that failed is named', async () => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.uniqueArray(fc.constantFrom(...conditions), { minLength: 1, maxLength: 3 }),
        async (row, arms) => {
          const key = { pk: `TEST#${randomUUID()}`, sk: 'ROW' }
          if (row !== undefined) await putRaw(ledger, { ...key, ...row })
          const failing = arms.filter((arm) => !arm.holds(row)).map(({ name }) => name)

          const result = await commit(ledger, [check(key, allOf(...arms))], NOW)

          expect(result.kind).toBe(failing.length === 0 ? 'done' : 'lost')
          if (result.kind === 'lost') expect(result.losses).toMatchObject([{ key, arms: failing }])
        },
      ),
      { numRuns: 150 },
    )
  })
})
