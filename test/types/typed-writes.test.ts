import { expect, it } from 'vitest'
import type { Instant } from '../../modules/core/instant.ts'
import { payAttemptMachine } from '../../modules/core/pay-attempt.ts'
import { revIs, rowIsNew } from '../../modules/ledger/table/conditions.ts'
import type { Write } from '../../modules/ledger/table/make-write.ts'
import { moveRow } from '../../modules/ledger/table/move-row.ts'
import type { PayAttemptRow, TaskRow } from '../../modules/ledger/table/rows.ts'
import { put, update } from '../../modules/ledger/table/writes.ts'

/**
 * What must not compile. `tsc` checks this file with all others: a line below that compiles makes its `@ts-expect-error` an error.
 * Nothing here is ever called.
 */
function neverCompiles(task: TaskRow, attempt: PayAttemptRow, now: Instant, some: boolean): readonly unknown[] {
  const when = revIs(task.rev)
  return [
    // @ts-expect-error a misspelt attribute in a set
    update(task, { set: { lockedAtt: now } }, when),
    // @ts-expect-error a misspelt attribute in a set, brought by a spread
    update(task, { set: { lockedBy: 'worker', ...(some && { lockedAtt: now }) } }, when),
    // @ts-expect-error a misspelt attribute in a remove
    update(task, { remove: ['lockedAtt'] }, when),
    // @ts-expect-error an attribute that no task can be without
    update(task, { remove: ['bizType'] }, when),
    // @ts-expect-error a misspelt attribute in an add
    update(task, { add: { retryCounts: 1 } }, when),
    // @ts-expect-error a text is no count
    update(task, { add: { lockedBy: 1 } }, when),
    // @ts-expect-error a number where an instant belongs
    update(task, { set: { dueAt: 12345 } }, when),
    // @ts-expect-error a text that no parser made an instant of
    update(task, { set: { dueAt: '2026-12-01' } }, when),
    // @ts-expect-error a status moves along its machine only
    update(task, { set: { status: 'SUCCESS' } }, when),
    // @ts-expect-error a state moves along its machine only
    update(attempt, { set: { state: 'PAID' } }, when),
    // @ts-expect-error an attribute of another type of row
    update(attempt, { set: { dueAt: now } }, when),
    // @ts-expect-error a misspelt attribute in a put
    put({ ...attempt, expiresAtt: now }, rowIsNew),
    // @ts-expect-error a misspelt attribute in a put, brought by a spread
    put({ ...attempt, ...(some && { expiresAtt: now }) }, rowIsNew),
    // @ts-expect-error a state outside its union
    put({ ...attempt, state: 'PAYD' }, rowIsNew),
    // @ts-expect-error a number where an instant belongs
    put({ ...attempt, expiresAt: 12345 }, rowIsNew),
    // @ts-expect-error a row that lacks an attribute
    put({ pk: 'TXN#a#1', sk: 'GUARD', et: 'GUARD' }, rowIsNew),
    // @ts-expect-error a type of row that does not exist
    put({ pk: 'A', sk: 'B', et: 'NOTHING' }, rowIsNew),
    // @ts-expect-error an event that the machine does not know
    moveRow(payAttemptMachine, { target: attempt, from: attempt.state }, 'refund'),
    // @ts-expect-error the machine of another type of row
    moveRow(payAttemptMachine, { target: task, from: task.status }, 'pay'),
    // @ts-expect-error a write that no maker made
    { op: 'put', item: { pk: 'A', sk: 'B' }, when } satisfies Write,
  ]
}

it('what must not compile is held by tsc, and nothing of it is ever made', () => {
  expect(neverCompiles).toBeTypeOf('function')
})
