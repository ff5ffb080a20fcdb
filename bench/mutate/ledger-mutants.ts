import type { Mutant } from './mutant.ts'

const LAPSED = 'test/simulation/interleavings-lapsed-lease.test.ts'
const CLOSE = 'test/simulation/interleavings-callback-and-close.test.ts'
/** A condition that always holds for a row that is there. */
const ALWAYS = `{ ...rowIsNew, expression: 'attribute_exists(pk)' }`

const one = (name: string, file: string, text: string, replacement: string, tests: readonly string[]): Mutant => ({
  name,
  edits: [{ file: `modules/ledger/${file}`, text, replacement }],
  tests,
})

/** Faults in what is written, and on what condition. */
export const ledgerMutants: readonly Mutant[] = [
  {
    name: 'a worker whose lease lapsed commits under the claim of the next one, and closes its attempt twice',
    edits: [
      {
        file: 'modules/ledger/table/conditions.ts',
        text: 'lockedBy = :lockedBy AND fence = :fence',
        replacement: 'lockedBy = :lockedBy AND fence >= :fence',
      },
      {
        file: 'modules/ledger/task/finish-attempt.ts',
        text: `isAbsent('closedAt')`,
        replacement: `isAbsent('neverThere')`,
      },
    ],
    tests: [LAPSED],
  },
  one(
    'the sweep takes back from a worker who has written since',
    'task/sweep-task.ts',
    'const when = allOf(revIs(task.rev), dueAtIs(seenDueAt))',
    'const when = dueAtIs(seenDueAt)',
    ['test/sweep/stale-readings.test.ts'],
  ),
  one(
    'the sweep takes back an attempt that was closed',
    'task/sweep-task.ts',
    `allOf(rowExists, isAbsent('closedAt'))`,
    'rowExists',
    [LAPSED, 'test/sweep/sweep.test.ts', 'test/sweep/stale-readings.test.ts'],
  ),
  one(
    'two effects on one order overlap',
    'task/claim-task.ts',
    '{ set: { activeTask } }, allOf(noOtherEffect(now, taskNo), revIs(order.rev))',
    '{ set: { activeTask } }, noOtherEffect(plusMs(now, 999_999_999), taskNo)',
    ['test/work/claim.test.ts', 'test/simulation/interleavings-two-workers.test.ts'],
  ),
  one(
    'a lease holds the order only until it begins',
    'table/conditions.ts',
    'activeTask.leaseUntil < :nowForLease',
    'activeTask.leaseUntil <= :nowForLease OR activeTask.leaseUntil > :nowForLease',
    ['test/work/claim.test.ts'],
  ),
  one(
    'an order moves though it was written since it was read',
    'order/change-order.ts',
    'const seen = revIs(order.rev)',
    `const seen = ${ALWAYS}`,
    [CLOSE],
  ),
  one(
    'a refund does not look whether the order is still what it was',
    'payment/refund-payment.ts',
    '...(taken?.freeze?.(set) ?? [setOrCheck(order, set)])',
    '...(taken?.freeze ?? [])',
    [
      CLOSE,
      'test/simulation/interleavings-callback-and-callback.test.ts',
      'test/booking/second-and-late-money.test.ts',
    ],
  ),
  one(
    'a decision that was lost to another writer counts as made',
    'decide-and-commit.ts',
    `if (result.kind === 'done') return { kind: 'decided', value: plan.value }`,
    `if (result.kind !== 'bug') return { kind: 'decided', value: plan.value }`,
    ['test/simulation/interleavings-try-ends.test.ts', 'test/booking/paid-once.test.ts'],
  ),
  one('what is optional hides what is not', 'table/commit.ts', 'result.losses.every(', 'result.losses.some(', [
    'test/ledger/commit.test.ts',
  ]),
  one(
    'a transaction that met another one is called a bug',
    'table/commit.ts',
    `if (codes.some((code) => RETRIED.has(code))) return { kind: 'conflict' }`,
    '',
    ['test/ledger/commit.test.ts', 'test/ledger/commit-faults.test.ts'],
  ),
  one(
    'stock is taken below nothing',
    'stock/move-stock.ts',
    `from === 'available' ? stockIsAvailable(qty) : rowExists`,
    'rowExists',
    ['test/orders/take-stock.test.ts'],
  ),
  one(
    'a parked verdict covers what another copy decided',
    'callback/record-callback.ts',
    `parked: ['received', 'parked']`,
    `parked: ['received', 'parked', 'applied', 'late', 'surplus']`,
    ['test/booking/one-transaction.test.ts', 'test/booking/kept-callbacks.test.ts'],
  ),
  one(
    'a task that is woken at its own time sends no trigger',
    'task/plan-task.ts',
    'return wake === at ? plusMs(at, 1) : at',
    'return at',
    ['test/orders/close-and-refresh-tasks.test.ts', 'test/booking/hints.test.ts'],
  ),
]
