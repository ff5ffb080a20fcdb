import { expect, it } from 'vitest'
import { settleCallbackHandler } from '../../functions/work/handlers/settle-callback.ts'
import { runTask } from '../../functions/work/run-task.ts'
import { parseByKeys } from '../../modules/booking/parse-by-keys.ts'
import { takeCallback } from '../../modules/booking/take-callback.ts'
import type { Parsed } from '../../modules/channels/channel.ts'
import type { Parse } from '../../modules/channels/parsers.ts'
import { orphanPk } from '../../modules/ledger/table/keys.ts'
import { sure } from '../support/core-builders.ts'
import { collectionOf, fileOf, paid, putPayingOrder, taskOf, tasksOf } from '../support/ledger-builders.ts'
import { messageFor, openWorld, type World } from '../support/world.ts'
import { aCallback, BANK, parseBank, sha256 } from '../support/world-bank.ts'

const sealed: Parsed = { ok: false, eventId: 'evt', field: 'resource', problem: 'cannot be opened', isKeyFault: true }
const oldKey: Parse = () => sealed

/** Keys of an environment that has the old secret, and what a fetch of now would bring. */
const keysOf = (fresh: Parse | undefined) => ({ get: async () => oldKey, refetch: async () => fresh })

const settle = async (world: World, callback: ReturnType<typeof aCallback>, fresh: Parse | undefined) =>
  takeCallback(world.takeDeps, callback, sha256(callback.body), await parseByKeys(keysOf(fresh), callback))

const work = (world: World, fresh: Parse | undefined) => ({
  ...world.workDeps,
  handlers: {
    SETTLE_CALLBACK: settleCallbackHandler(world.takeDeps, (verified) => parseByKeys(keysOf(fresh), verified)),
  },
})

async function aSealedCallback() {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  const callback = aCallback(paid(orderNo))
  await settle(world, callback, undefined)
  const pk = orphanPk(BANK, `sha256-${sha256(callback.body).slice(0, 32)}`)
  const task = async () => taskOf(await collectionOf(world, pk), 'SETTLE_CALLBACK')
  return { world, orderNo, pk, task }
}

it('a notice that the old key cannot open is booked at once by the key fetched anew', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)

  await settle(world, aCallback(paid(orderNo)), parseBank)

  expect((await fileOf(world, orderNo)).order?.status).toBe('PAID')
})

it('a notice that no key opens is kept without a verdict and without a ticket', async () => {
  const { world, pk, task } = await aSealedCallback()

  const file = await collectionOf(world, pk)

  expect(file.callbacks).toMatchObject([{ verdict: 'parked' }])
  expect(await task()).toMatchObject({ status: 'WAITING', requestSnapshot: { why: 'KEY_FAULT' } })
  expect(tasksOf(file, 'REVIEW')).toEqual([])
})

it('its task climbs a ladder while the key is wrong, and books when the key is there again', async () => {
  const { world, orderNo, task } = await aSealedCallback()
  const first = await task()
  world.clock.set(first.nextExecuteAt)
  await runTask(work(world, undefined), messageFor(first, world.clock.now()), 'w')
  const between = await task()
  world.clock.set(between.nextExecuteAt)

  await runTask(work(world, parseBank), messageFor(between, world.clock.now()), 'w')

  expect(between).toMatchObject({ status: 'RETRY', retryCount: 1, lastErrorCode: 'KEY_FAULT' })
  expect((await task()).status).toBe('SUCCESS')
  expect((await fileOf(world, orderNo)).order?.status).toBe('PAID')
})

it('a key that stays wrong ends with a person and not with a verdict', async () => {
  const { world, pk, task } = await aSealedCallback()

  for (let round = 0; round < 60 && (await task()).status !== 'MANUAL'; round++) {
    world.clock.set((await task()).nextExecuteAt)
    await runTask(work(world, undefined), messageFor(await task(), world.clock.now()), 'w')
  }

  expect(await task()).toMatchObject({ status: 'MANUAL' })
  expect(sure((await collectionOf(world, pk)).callbacks[0]).verdict).toBe('parked')
})

it('a bug in booking keeps its own name and is not called an outage', async () => {
  const { world, task } = await aSealedCallback()
  const broken: Parse = () => {
    throw new RangeError('not foreseen')
  }
  const first = await task()
  world.clock.set(first.nextExecuteAt)

  await runTask(work(world, broken), messageFor(first, world.clock.now()), 'w')

  expect(await task()).toMatchObject({ status: 'RETRY', lastErrorCode: 'RangeError' })
})
