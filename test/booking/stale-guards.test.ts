import { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import { withFaults } from '../support/faults.ts'
import { fileOf, freshTxn, paid, putPayingOrder, tasksOf, verdictsOf } from '../support/ledger-builders.ts'
import { openWorld, type World, worldOn } from '../support/world.ts'
import { aCallback } from '../support/world-bank.ts'

const isConsistent = (input: unknown): boolean => JSON.stringify(input).includes('"ConsistentRead":true')

/** A replica that has not heard of some guards yet, as an eventually consistent read may meet it; the local engine has none. */
function withStaleGuards(world: World, isMissed: (pk: string) => boolean) {
  const reads: string[] = []
  const ledger: Ledger = withFaults(world.ledger, ({ command, input }) => {
    if (command === 'BatchGetItemCommand') reads.push(isConsistent(input) ? 'consistent' : 'eventual')
  })
  const send = ledger.client.send.bind(ledger.client)
  Object.assign(ledger.client, {
    send: async (command: Parameters<typeof send>[0]) => {
      const answer: unknown = await send(command)
      if (!(command instanceof BatchGetCommand) || isConsistent(command.input)) return answer
      const [[table, items] = ['', []]] = Object.entries(Object(answer).Responses)
      const seen = [items].flat().filter((item) => !isMissed(String(Object(item).pk)))
      return { ...Object(answer), Responses: { [table]: seen } }
    },
  })
  return { reads, once: worldOn(ledger, world.clock, world.merchant) }
}

it('a payment that its payAttempt leads to is located by one read at half the price', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const { reads, once } = withStaleGuards(world, () => false)

  await once.take(aCallback(paid(orderNo)))

  expect(reads).toEqual(['eventual'])
  expect(verdictsOf(await fileOf(world, orderNo))).toEqual(['applied'])
})

it('a payAttempt that the replica has not heard of is looked for again, and its order is paid', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const { reads, once } = withStaleGuards(world, (pk) => pk.startsWith('OUT#'))

  await once.take(aCallback(paid(orderNo)))

  expect(reads).toEqual(['eventual', 'consistent'])
  expect(verdictsOf(await fileOf(world, orderNo))).toEqual(['applied'])
})

it('a transaction that another order has is never booked twice, though the replica has not heard of it', async () => {
  const world = await openWorld()
  const [first, second] = [await putPayingOrder(world), await putPayingOrder(world)]
  const txn = freshTxn()
  await world.take(aCallback(paid(first, { txn })))
  const { once } = withStaleGuards(world, (pk) => pk.startsWith('TXN#'))

  await once.take(aCallback(paid(second, { txn })))

  const [paidFile, otherFile] = [await fileOf(world, first), await fileOf(world, second)]
  expect(paidFile.payments).toHaveLength(1)
  expect(otherFile.payments).toEqual([])
  expect(otherFile.order?.status).toBe('PAYING')
  expect(verdictsOf(otherFile)).toEqual(['conflict'])
  expect([...tasksOf(paidFile, 'REVIEW'), ...tasksOf(otherFile, 'REVIEW')]).toHaveLength(1)
})

it('an order whose lines a read has missed is read again: each line is sold and delivered', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world, { lines: 2 })
  let reads = 0
  const ledger = withFaults(world.ledger, () => {})
  const send = ledger.client.send.bind(ledger.client)
  Object.assign(ledger.client, {
    send: async (command: Parameters<typeof send>[0]) => {
      const answer: unknown = await send(command)
      if (!(command instanceof QueryCommand) || reads++ > 0) return answer
      const items = [Object(answer).Items].flat()
      return { ...Object(answer), Items: items.filter((item) => Object(item).sk !== 'LINE#02') }
    },
  })

  await worldOn(ledger, world.clock, world.merchant).take(aCallback(paid(orderNo)))

  const file = await fileOf(world, orderNo)
  expect(reads).toBeGreaterThan(1)
  expect(file.lines.map(({ state }) => state)).toEqual(['SOLD', 'SOLD'])
  expect(tasksOf(file, 'DELIVER')).toHaveLength(2)
})
