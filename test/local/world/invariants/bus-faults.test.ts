import { expect, it } from 'vitest'
import { busFaults } from '../../../../local/world/invariants/bus-faults.ts'
import { fileOf, putPayingOrder } from '../../../support/ledger-builders.ts'
import { openWorld } from '../../../support/world.ts'

const world = await openWorld()

async function aJournal() {
  const orderNo = await putPayingOrder(world)
  const { journal } = await fileOf(world, orderNo)
  return {
    orderNo,
    journal,
    told: journal.map(({ from, to, orderRev }) => ({ id: `${orderNo}/${orderRev}`, from, to })),
  }
}

it('a bus that was told every change, some of them twice, breaks no rule', async () => {
  const { journal, told } = await aJournal()

  expect(busFaults(journal, [...told, ...told.slice(0, 1)])).toEqual([])
})

it('a change that was never told, one that never happened, and two stories of one are each a broken rule', async () => {
  const { orderNo, journal, told } = await aJournal()

  expect(busFaults(journal, told.slice(1))).toEqual([`the bus was never told of ${orderNo}/1`])
  expect(busFaults(journal, [...told, { id: 'X/9' }])).toEqual(['the bus was told of X/9, which is in no journal'])
  expect(busFaults(journal, [...told, { ...told[0], to: 'PAID' }])).toEqual([
    `the bus was told two stories of ${orderNo}/1`,
  ])
})

it('an entry that changed no status need not be told', async () => {
  const { journal, told } = await aJournal()

  expect(busFaults([...journal.map((row) => ({ ...row, from: row.to }))], [])).toEqual([])
  expect(told.length).toBeGreaterThan(0)
})
