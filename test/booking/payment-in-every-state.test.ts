import { expect, it } from 'vitest'
import { salvageMessage } from '../../functions/salvage/salvage-message.ts'
import { orderKey, orphanPk } from '../../modules/ledger/table/keys.ts'
import { CorruptRowError } from '../../modules/ledger/table/rows.ts'
import { orderStatuses } from '../support/core-builders.ts'
import {
  collectionOf,
  endOf,
  fileOf,
  forceOrder,
  forceRow,
  paid,
  putPayingOrder,
  taskOf,
} from '../support/ledger-builders.ts'
import { openWorld } from '../support/world.ts'
import { aCallback, BANK, sha256 } from '../support/world-bank.ts'

it.each(orderStatuses)('a payment of a %s order is decided at once and holds nothing', async (status) => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await forceOrder(world, orderNo, { status, ...(status === 'CLOSED' && { closedAt: world.clock.now() }) })

  await world.take(aCallback(paid(orderNo)))

  const file = await fileOf(world, orderNo)
  expect(['applied', 'surplus', 'late']).toContain(file.callbacks[0]?.verdict)
  expect(file.payments).toHaveLength(1)
  expect(file.tasks.filter((task) => task.status === 'PROCESSING')).toEqual([])
  expect(file.order).not.toHaveProperty('activeTask')
})

it('a payment of an order in a state that this release does not know is kept and ends as a ticket, never as a stuck claim', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await forceRow(world.ledger, orderKey(orderNo), { status: 'ON_HOLD' }, world.clock.now())
  const callback = aCallback(paid(orderNo))
  const { channel, receivedAt, keyId, headers, body } = callback
  const bodySha256 = sha256(body)
  const pk = orphanPk(BANK, `sha256-${bodySha256.slice(0, 32)}`)
  const message = { v: 1, channel, receivedAt, keyId, headers, bodyBase64: body.toString('base64'), bodySha256 }

  await expect(world.take(callback)).rejects.toThrow(CorruptRowError)
  await salvageMessage(world.takeDeps, 'message-of-c091', JSON.stringify(message))
  let task = taskOf(await collectionOf(world, pk), 'SETTLE_CALLBACK')
  const fences: number[] = []
  while (task.status === 'WAITING' || task.status === 'RETRY') {
    world.clock.set(task.nextExecuteAt)
    await world.run(task)
    task = taskOf(await collectionOf(world, pk), 'SETTLE_CALLBACK')
    fences.push(task.fence)
  }
  await forceOrder(world, orderNo, { status: 'PAYING' })
  await world.take(callback)

  const file = await collectionOf(world, pk)
  expect(task.status).toBe('MANUAL')
  expect(task).not.toHaveProperty('lockedBy')
  expect(file.attempts.every(({ closedAt }) => closedAt !== undefined)).toBe(true)
  expect(file.attempts).toHaveLength(fences.length)
  expect(file.callbacks).toMatchObject([{ verdict: 'parked' }])
  expect(endOf(await fileOf(world, orderNo))).toBe('PAID APPLIED')
})
