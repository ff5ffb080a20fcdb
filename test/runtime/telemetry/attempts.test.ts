import { afterEach, expect, it, vi } from 'vitest'
import type { Outcome } from '../../../modules/core/outcome.ts'
import { fileOf, paid, putPayingOrder, taskOf } from '../../support/ledger-builders.ts'
import { openWorld } from '../../support/world.ts'
import { aCallback } from '../../support/world-bank.ts'

afterEach(() => vi.restoreAllMocks())

/** What one delivery that ends in `outcome` tells of itself, by metric. */
async function metricsOf(outcome: Outcome): Promise<ReadonlyMap<string, number>> {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo)))
  world.merchant.answer = () => outcome
  let written = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    written += String(chunk)
    return true
  })
  await world.run(taskOf(await fileOf(world, orderNo), 'DELIVER'))
  return new Map(
    ['Attempts', 'AttemptsDone', 'AttemptsUnknown', 'TicketsOpened'].flatMap((name) =>
      [...written.matchAll(new RegExp(`"${name}":(\\d+)`, 'g'))].map(([, value]) => [name, Number(value)] as const),
    ),
  )
}

it.each([
  ['done', { kind: 'done' }, { Attempts: 1, AttemptsDone: 1 }],
  ['a clear "not yet"', { kind: 'notYet', code: 'ACCEPTED_NOT_DONE' }, { Attempts: 1, AttemptsDone: 1 }],
  ['not sent', { kind: 'transient', code: 'HTTP_503' }, { Attempts: 1, AttemptsDone: 0 }],
  ['an unknown result', { kind: 'unknown', code: 'HTTP_500' }, { Attempts: 1, AttemptsDone: 0, AttemptsUnknown: 1 }],
  ['a refusal', { kind: 'rejected', code: 'HTTP_400' }, { Attempts: 1, AttemptsDone: 0, TicketsOpened: 1 }],
] as const)('an attempt that ends in %s tells its part of the success share', async (_name, outcome, expected) => {
  expect(Object.fromEntries(await metricsOf(outcome))).toEqual(expected)
})
