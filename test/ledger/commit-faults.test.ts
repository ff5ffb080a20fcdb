import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { readRows } from '../../modules/ledger/read/queries.ts'
import { MAX_TRIES } from '../../modules/ledger/table/back-off-from-conflict.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { rowIsNew } from '../../modules/ledger/table/conditions.ts'
import type { Put } from '../../modules/ledger/table/make-write.ts'
import { optional, put } from '../../modules/ledger/table/writes.ts'
import { timeoutError, withFaults } from '../support/faults.ts'
import { openTestLedger } from '../support/ledger.ts'
import { START } from '../support/world-bank.ts'

const { ledger } = await openTestLedger()

function aGuard(isFollowUp = false): Put {
  const pk = `TXN#bank#${randomUUID()}`
  const guard = put({ pk, sk: 'GUARD', et: 'GUARD', collection: 'X' }, rowIsNew)
  return isFollowUp ? optional(guard) : guard
}

const countRows = async (ledger: Ledger, writes: readonly Put[]): Promise<number> =>
  (
    await readRows(
      ledger,
      writes.map(({ item }) => item),
    )
  ).filter((row) => row !== undefined).length

it('a transaction whose answer was lost is sent again with the same token and counts once', async () => {
  const write = aGuard()
  const faulty = withFaults(
    ledger,
    () => {},
    (n) => {
      if (n === 1) throw timeoutError()
    },
  )

  expect(await commit(faulty, [write], START)).toEqual({ kind: 'done' })
  expect(await countRows(ledger, [write])).toBe(1)
})

it('a transaction that meets others is built anew up to the limit, then it is a conflict and nothing is written', async () => {
  const write = aGuard()
  let tries = 0
  const faulty = withFaults(ledger, ({ fail }) => {
    tries++
    fail('conflict')
  })

  expect(await commit(faulty, [write], START)).toEqual({ kind: 'conflict' })
  expect([tries, await countRows(ledger, [write])]).toEqual([MAX_TRIES, 0])
})

it('a follow-up that exists is left out, and what must be new decides over the rest', async () => {
  const [followUp, must, other] = [aGuard(true), aGuard(), aGuard()]
  await commit(ledger, [followUp, other], START)

  const without = await commit(ledger, [must, followUp], START)
  const lost = await commit(ledger, [aGuard(), other, followUp], START)

  expect(without).toEqual({ kind: 'done' })
  expect(await countRows(ledger, [must])).toBe(1)
  expect(lost.kind === 'lost' && lost.losses.map(({ found }) => found?.['pk'])).toEqual([
    other.item.pk,
    followUp.item.pk,
  ])
})

it('a ledger that does not answer is an error, never an outcome', async () => {
  const faulty = withFaults(ledger, ({ fail }) => fail('unavailable'))

  await expect(commit(faulty, [aGuard()], START)).rejects.toThrow()
})
