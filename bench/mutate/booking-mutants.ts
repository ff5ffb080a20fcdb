import type { Mutant } from './mutant.ts'

const CALLBACKS = 'test/simulation/interleavings-callback-and-callback.test.ts'
const TRY_ENDS = 'test/simulation/interleavings-try-ends.test.ts'

const one = (name: string, file: string, text: string, replacement: string, tests: readonly string[]): Mutant => ({
  name,
  edits: [{ file: `modules/booking/${file}`, text, replacement }],
  tests,
})

/** Faults in how events become rows. */
export const bookingMutants: readonly Mutant[] = [
  one(
    'a booking that was lost to another one counts as settled',
    'book-payment.ts',
    `if (result.kind !== 'lost') return resultOf(result, verdict)`,
    `return result.kind === 'lost' ? { kind: 'booked', verdict } : resultOf(result, verdict)`,
    [CALLBACKS],
  ),
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
    'input = { ...input, location: await locateOrder(deps.ledger, input.event) }',
    '',
    ['test/booking/stale-guards.test.ts', 'test/booking/paid-once.test.ts', CALLBACKS],
  ),
  one(
    'writes that were lost count as settled',
    'booked.ts',
    `return result.kind === 'lost' ? CONTENDED : resultOf(result, verdict)`,
    `return result.kind === 'lost' ? { kind: 'booked', verdict } : resultOf(result, verdict)`,
    [CALLBACKS, 'test/booking/one-transaction.test.ts'],
  ),
  one(
    'the end of a try that was lost to another writer counts as settled',
    'end-pay-attempt.ts',
    `if (result.kind !== 'lost') return resultOf(result, 'recorded')`,
    `return result.kind === 'lost' ? { kind: 'booked', verdict: 'recorded' } : resultOf(result, 'recorded')`,
    [TRY_ENDS],
  ),
  one(
    'a hint that was lost to another writer counts as settled',
    'follow-hint.ts',
    `if (result.kind !== 'lost') return resultOf(result, 'recorded')`,
    `return result.kind === 'lost' ? { kind: 'booked', verdict: 'recorded' } : resultOf(result, 'recorded')`,
    [TRY_ENDS, 'test/booking/hints.test.ts'],
  ),
  one(
    'an orphan that was lost to its order counts as settled',
    'keep-orphan.ts',
    `if (result.kind === 'lost') return CONTENDED`,
    `if (result.kind === 'lost') return { kind: 'booked', verdict: 'orphan' }`,
    [CALLBACKS, 'test/simulation/interleavings-orphan-and-order.test.ts', 'test/booking/orphan-and-order.test.ts'],
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
    'take-callback.ts',
    'const task = isForOthers ?',
    'const task = !isForOthers ?',
    ['test/booking/two-stories.test.ts', 'test/booking/kept-callbacks.test.ts'],
  ),
]
