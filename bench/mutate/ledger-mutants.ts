import type { Mutant } from './mutant.ts'

const LAPSED = 'test/simulation/interleavings-lapsed-lease.test.ts'
const CLOSE = 'test/simulation/interleavings-callback-and-close.test.ts'
/** A condition that always holds for a row that is there. */
const ALWAYS = `{ name: 'always', expression: 'attribute_exists(pk)', names: {}, values: {} }`

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
        text: `when: isAbsent('closedAt')`,
        replacement: `when: isAbsent('neverThere')`,
      },
    ],
    tests: [LAPSED],
  },
  one(
    'the sweep takes back from a worker who has written since',
    'task/move-task.ts',
    'when: allOf(revIs(task.rev), dueAtIs(seenDueAt))',
    'when: dueAtIs(seenDueAt)',
    ['test/sweep/stale-readings.test.ts'],
  ),
  one(
    'the sweep takes back an attempt that was closed',
    'task/move-task.ts',
    `when: allOf(rowExists, isAbsent('closedAt'))`,
    'when: rowExists',
    [LAPSED, 'test/sweep/sweep.test.ts', 'test/sweep/stale-readings.test.ts'],
  ),
  one(
    'two effects on one order overlap',
    'task/claim-task.ts',
    'when: allOf(noOtherEffect(now, task.taskNo), revIs(effectOn.rev))',
    `when: ${ALWAYS}`,
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
    'also.when === undefined ? revIs(order.rev) : allOf(revIs(order.rev), also.when)',
    `also.when ?? ${ALWAYS}`,
    [CLOSE],
  ),
  one(
    'a refund does not look whether the order is still what it was',
    'payment/book-payment-writes.ts',
    'countNotices(order, told), ...told.writes',
    '...told.writes',
    [
      CLOSE,
      'test/simulation/interleavings-callback-and-callback.test.ts',
      'test/booking/second-and-late-money.test.ts',
    ],
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
    'wake: task.wake === now ? plusMs(now, 1) : now',
    'wake: now',
    ['test/orders/close-and-refresh-tasks.test.ts', 'test/booking/hints.test.ts'],
  ),
]
