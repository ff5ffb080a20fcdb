import type { Mutant } from './mutant.ts'

const one = (name: string, file: string, text: string, replacement: string, tests: readonly string[]): Mutant => ({
  name,
  edits: [{ file: `modules/core/${file}`, text, replacement }],
  tests: tests.map((test) => `test/core/${test}.test.ts`),
})
const BOOKING = ['settlement-table', 'settlement-properties', 'second-and-late-money']

/** Faults in what is decided. */
export const coreMutants: readonly Mutant[] = [
  one(
    'money for a closed order counts as surplus',
    'decide-booking.ts',
    `if (order.status === 'CLOSED') return { kind: 'refund', role: 'LATE' }`,
    '',
    BOOKING,
  ),
  one(
    'more money than was asked for is taken as it is',
    'decide-booking.ts',
    'order.money.amount !== event.money.amount',
    'order.money.amount > event.money.amount',
    BOOKING,
  ),
  one(
    'the currency of a payment is not looked at',
    'decide-booking.ts',
    'order.money.currency !== event.money.currency',
    'false',
    BOOKING,
  ),
  one(
    'a transaction that is told with other money is a repeat',
    'decide-booking.ts',
    '!sameMoney(payment.money, event.money)',
    'false',
    BOOKING,
  ),
  one(
    'a transaction that is told for another order is a repeat',
    'decide-booking.ts',
    'payment.orderNo !== order.orderNo',
    'false',
    BOOKING,
  ),
  one(
    'the try that was paid is closed with the others',
    'decide-booking.ts',
    '!isPaid(attempt) && isOpen(attempt.state)',
    'isOpen(attempt.state)',
    BOOKING,
  ),
  one('an order fails with its first failed try', 'decide-attempt-end.ts', '!others.some(isOpen)', 'true', [
    'attempt-end',
  ]),
  one(
    'a task goes on at the end of its total time',
    'decide-retry.ts',
    'msOf(now) >= msOf(task.deadlineAt)',
    'msOf(now) > msOf(task.deadlineAt)',
    ['retry-decision'],
  ),
  one(
    'a refused call is tried again',
    'decide-retry.ts',
    `if (policy.exhausted === 'CLOSED') return again`,
    'if (policy.exhausted !== undefined) return again',
    ['retry-decision'],
  ),
  one(
    'a misconfigured channel keeps its tasks for ever',
    'decide-retry.ts',
    'msOf(now) >= msOf(misconfiguredSince) + MISCONFIGURED_MAX_MS',
    'false',
    ['retry-decision'],
  ),
  one(
    'Retry-After is heard without a bound',
    'back-off.ts',
    'Math.min(retryAfterMs, RETRY_AFTER_CAP_MS)',
    'retryAfterMs',
    ['ladders'],
  ),
  one('Retry-After shortens a step', 'back-off.ts', 'wished > jittered', 'wished > 0', ['ladders']),
  one('jitter only lengthens a step', 'back-off.ts', '1 - JITTER_SHARE + 2 * JITTER_SHARE', '1 + JITTER_SHARE', [
    'ladders',
  ]),
  one('more decimals than a currency has are read', 'money.ts', 'fraction.length > exponent', 'false', ['money']),
  one(
    'what is left of a split is lost',
    'money.ts',
    '(amount - sumAmounts(parts)) as MinorUnits',
    'sumAmounts(parts.slice(0, 1))',
    ['money'],
  ),
  one('a fee is rounded down', 'money.ts', '* 2n + 10_000n', '* 2n', ['money']),
  one(
    'a try that is being closed cannot be paid any more',
    'pay-attempt.ts',
    `state === 'OPEN' || state === 'CLOSING'`,
    `state === 'OPEN'`,
    [...BOOKING, 'attempt-end'],
  ),
  one(
    'a failed try cannot be paid',
    'pay-attempt.ts',
    `FAILED: { pay: 'PAID', confirmClosed: 'CLOSED' }`,
    `FAILED: { confirmClosed: 'CLOSED' }`,
    ['state-machines', ...BOOKING],
  ),
  one('a closed order can be paid', 'order.ts', 'CLOSED: {}, REFUNDING: {', `CLOSED: { pay: 'PAID' }, REFUNDING: {`, [
    'state-machines',
    ...BOOKING,
  ]),
  one('more stock is taken away than there is', 'stock.ts', 'total + change < 0', 'false', ['stock']),
  one('an instant loses its place in the order of texts', 'instant.ts', 'text.length !== FORM.length', 'false', [
    'instant',
  ]),
]
