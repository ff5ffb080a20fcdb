import type { Mutant } from './mutant.ts'

const CALLBACKS = 'test/simulation/interleavings-callback-and-callback.test.ts'

const one = (name: string, file: string, text: string, replacement: string, tests: readonly string[]): Mutant => ({
  name,
  edits: [{ file: `modules/booking/${file}`, text, replacement }],
  tests,
})

/** Faults in how events become rows. */
export const bookingMutants: readonly Mutant[] = [
  one(
    'a booking at first sight that was lost counts as settled',
    'book-payment.ts',
    `return result.kind === 'done' ? { kind: 'booked', verdict: 'applied' } : undefined`,
    `return { kind: 'booked', verdict: 'applied' }`,
    [CALLBACKS],
  ),
  one(
    'after a lost race the order is not looked for again',
    'book-payment.ts',
    'number === 0 ? first.location : await locateOrder(deps.ledger, first.event)',
    'first.location',
    ['test/booking/stale-guards.test.ts', 'test/booking/paid-once.test.ts', CALLBACKS],
  ),
  one(
    'writes that were lost count as settled',
    'booked.ts',
    `if (result.kind === 'done') return { kind: 'booked', verdict }`,
    `if (result.kind !== 'bug') return { kind: 'booked', verdict }`,
    ['test/booking/booked.test.ts'],
  ),
  one(
    'a parked callback that is told again is taken for booked',
    'take-callback.ts',
    `new Set<Verdict>(['received', 'parked'])`,
    `new Set<Verdict>(['received'])`,
    ['test/booking/before-the-order.test.ts', 'test/booking/kept-callbacks.test.ts', CALLBACKS],
  ),
  one(
    'other bytes of a parked event get no task',
    'park-callback.ts',
    'const task = isForOthers ?',
    'const task = !isForOthers ?',
    ['test/booking/two-stories.test.ts', 'test/booking/kept-callbacks.test.ts'],
  ),
]
