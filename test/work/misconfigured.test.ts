import { expect, it } from 'vitest'
import { openChannelDesk } from '../../functions/work/asking/channel-desk.ts'
import { deliverHandler } from '../../functions/work/handlers/deliver.ts'
import { runTask } from '../../functions/work/run-task.ts'
import type { WorkDeps } from '../../functions/work/work-deps.ts'
import { type ChannelClient, clientOf } from '../../modules/channels/clients.ts'
import { KeyFormatError } from '../../modules/channels/errors.ts'
import type { OrderNo } from '../../modules/core/ids.ts'
import { msOf } from '../../modules/core/instant.ts'
import type { PolicyOverrides, TaskType } from '../../modules/core/task-policies.ts'
import { lineSk, orderPk } from '../../modules/ledger/table/keys.ts'
import type { SendRequest } from '../../modules/outgoing/http/send-request.ts'
import { SecretMissingError } from '../../modules/runtime/secrets/secret-texts.ts'
import { sure } from '../support/core-builders.ts'
import { withDesk } from '../support/desk.ts'
import { openTestLedger } from '../support/ledger.ts'
import { fileOf, forceRow, paid, putPayingOrder, taskOf, tasksOf } from '../support/ledger-builders.ts'
import { openTestGate, type TestGate } from '../support/test-gate.ts'
import { DELIVERY_URL, messageFor, openWorld, type World } from '../support/world.ts'
import { aCallback, BANK } from '../support/world-bank.ts'

const HOUR_MS = 3_600_000
const { ledger, endpoint } = await openTestLedger()

async function aScene(overrides: PolicyOverrides = {}) {
  const world = await openWorld({ overrides })
  const gate = await openTestGate(endpoint, world.clock)
  return { world, gate }
}

/** Runs a task of an order when it is due. @returns the task afterwards */
async function runDue(world: World, deps: WorkDeps, orderNo: OrderNo, bizType: TaskType) {
  const task = taskOf(await fileOf(world, orderNo), bizType)
  world.clock.set(task.nextExecuteAt)
  await runTask(deps, messageFor(task, world.clock.now()), 'worker-1')
  return taskOf(await fileOf(world, orderNo), bizType)
}

const waits = ({ status }: { readonly status: string }): boolean => status === 'WAITING' || status === 'RETRY'

async function aPaidOrder(world: World): Promise<OrderNo> {
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo)))
  return orderNo
}

it('a line whose way of delivery was removed becomes a ticket, and the deliveries of others go on', async () => {
  const { world, gate } = await aScene()
  const DELIVER = deliverHandler(
    DELIVERY_URL,
    async ({ id, body }) => {
      world.merchant.received.push({ id, body })
      return { kind: 'done', httpStatus: 200 }
    },
    world,
  )
  const deps = { ...world.workDeps, gate, handlers: { ...world.workDeps.handlers, DELIVER } }
  const removed = await aPaidOrder(world)
  const line = { pk: orderPk(removed), sk: lineSk(1) }
  await forceRow(ledger, line, { interfaces: ['webhook:removed'] }, world.clock.now())

  let task = await runDue(world, deps, removed, 'DELIVER')
  const others: string[] = []
  while (waits(task)) {
    const other = await aPaidOrder(world)
    others.push((await runDue(world, deps, other, 'DELIVER')).status)
    task = await runDue(world, deps, removed, 'DELIVER')
  }

  const file = await fileOf(world, removed)
  expect(task).toMatchObject({ status: 'MANUAL', retryCount: 5, lastErrorCode: 'RETRIES_USED_UP' })
  expect(file.attempts.map(({ outcome, code }) => `${outcome} ${code}`)).toEqual(
    Array<string>(6).fill('misconfigured INTERFACE_NOT_CONFIGURED'),
  )
  expect(tasksOf(file, 'START_EXECUTION')).toHaveLength(1)
  expect(others).toEqual(Array<string>(5).fill('SUCCESS'))
  expect(world.merchant.received).toHaveLength(5)
  expect(await gate.read('merchant')).toMatchObject({ state: 'PASSING', epoch: 1, failures: 0 })
})

const json = (status: number, body: unknown) =>
  ({ kind: 'answer', status, headers: {}, body: Buffer.from(JSON.stringify(body)) }) as const

/** PayPal as it answers questions about orders by their id. */
function openPaypal(world: World, answer: (id: string) => ReturnType<typeof json>): ChannelClient {
  const account = { id: BANK, kind: 'paypal', webhookId: 'WH', sandbox: true } as const
  const http: SendRequest = async ({ url }) => {
    if (url.pathname.includes('oauth2')) return json(200, { access_token: 'x', expires_in: 3600 })
    return answer(url.pathname.split('/').at(-1) ?? '')
  }
  return clientOf(account, { http, nowMs: () => msOf(world.clock.now()), nonce: () => 'n' }).openKeys(
    JSON.stringify({ clientId: 'c', clientSecret: 's' }),
  )
}

/** Work whose channel is that PayPal, behind the gate. */
function workAt(scene: { world: World; gate: TestGate }, client: ChannelClient): WorkDeps {
  return workWith(scene, async () => client)
}

function workWith(
  { world, gate }: { world: World; gate: TestGate },
  client: () => Promise<ChannelClient>,
  clientAfresh: () => Promise<ChannelClient | undefined> = async () => undefined,
): WorkDeps {
  const desk = openChannelDesk({
    gate,
    now: world.clock.now,
    sleep: async () => {},
    abilities: () => ({ canQuery: true, canClose: false, canQueryRefund: false }),
    client,
    clientAfresh,
  })
  return { ...withDesk(world, desk), gate }
}

async function aReferredOrder(world: World, channelRef: string): Promise<OrderNo> {
  const orderNo = await putPayingOrder(world)
  const [attempt] = (await fileOf(world, orderNo)).payAttempts
  await forceRow(ledger, sure(attempt), { channelRef }, world.clock.now())
  return orderNo
}

it('a payAttempt with a wrong channelRef gets its tickets, and the channel goes on for the others', async () => {
  const scene = await aScene({ QUERY_PAYMENT: { totalMs: 2 * HOUR_MS } })
  const { world, gate } = scene
  const waiting = { status: 'CREATED', purchase_units: [] }
  const client = openPaypal(world, (id) =>
    id === 'WRONG' ? json(400, { name: 'INVALID_REQUEST' }) : json(200, waiting),
  )
  const deps = workAt(scene, client)
  const wrong = await aReferredOrder(world, 'WRONG')

  // Nobody else is there at first: the same payAttempt over and over says nothing of the channel.
  let query = await runDue(world, deps, wrong, 'QUERY_PAYMENT')
  for (let n = 0; n < 6; n++) query = await runDue(world, deps, wrong, 'QUERY_PAYMENT')
  const other = await aReferredOrder(world, 'RIGHT')
  const asked = await runDue(world, deps, other, 'QUERY_PAYMENT')
  while (waits(query)) query = await runDue(world, deps, wrong, 'QUERY_PAYMENT')
  let close = await runDue(world, deps, wrong, 'CLOSE_ORDER')
  while (waits(close)) close = await runDue(world, deps, wrong, 'CLOSE_ORDER')

  const file = await fileOf(world, wrong)
  expect(asked).toMatchObject({ status: 'RETRY', lastErrorCode: 'CREATED' })
  expect(query).toMatchObject({ status: 'MANUAL', lastErrorCode: 'TOTAL_TIME_USED_UP' })
  expect(close).toMatchObject({ status: 'MANUAL', lastErrorCode: 'TOTAL_TIME_USED_UP' })
  expect(file.order?.status).toBe('PAYING')
  expect(file.attempts.every(({ outcome, code }) => outcome === 'misconfigured' && code === 'INVALID_REQUEST')).toBe(
    true,
  )
  expect(gate.changes).toEqual([])
  expect(await gate.read(BANK)).toMatchObject({ state: 'PASSING', failures: 0 })
})

it('requests of several orders that are refused for a parameter pause the channel: it is our own doing', async () => {
  const scene = await aScene()
  const { world, gate } = scene
  const deps = workAt(
    scene,
    openPaypal(world, () => json(400, { name: 'INVALID_REQUEST' })),
  )
  const orders = await Promise.all(['A', 'B', 'C', 'D'].map((ref) => aReferredOrder(world, ref)))

  const tasks: { lastErrorCode?: string | undefined; attempts: number }[] = []
  for (const orderNo of orders) tasks.push(await runDue(world, deps, orderNo, 'QUERY_PAYMENT'))

  expect(tasks.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 0])
  expect(tasks.at(-1)).toMatchObject({ lastErrorCode: 'GATE_PAUSED' })
  expect(gate.changes).toEqual(['PAUSED'])
  expect(await gate.read(BANK)).toMatchObject({ reason: 'WRONG_REQUESTS' })
})

it('a wrong API key pauses the channel once and makes no ticket; after a day it makes one', async () => {
  const totalMs = HOUR_MS
  const scene = await aScene({ QUERY_PAYMENT: { totalMs } })
  const { world, gate } = scene
  const client: ChannelClient = {
    query: async () => ({
      outcome: { kind: 'misconfigured', code: 'SIGN_ERROR', httpStatus: 401 },
      state: 'unknown',
    }),
  }
  const deps = workAt(scene, client)
  const first = await putPayingOrder(world)
  const second = await putPayingOrder(world)
  const due = taskOf(await fileOf(world, first), 'QUERY_PAYMENT').nextExecuteAt

  const paused = await runDue(world, deps, first, 'QUERY_PAYMENT')
  const parked = await runDue(world, deps, second, 'QUERY_PAYMENT')
  const changes = [...gate.changes]
  let task = paused
  const waited: unknown[] = []
  while (waits(task)) {
    waited.push(tasksOf(await fileOf(world, first), 'START_EXECUTION').length, task.retryCount)
    world.clock.advance(2 * HOUR_MS)
    task = await runDue(world, deps, first, 'QUERY_PAYMENT')
  }

  expect(paused).toMatchObject({ status: 'RETRY', retryCount: 0, lastErrorCode: 'SIGN_ERROR' })
  expect(parked).toMatchObject({ attempts: 0, lastErrorCode: 'GATE_PAUSED' })
  expect(changes).toEqual(['PAUSED'])
  expect(waited.every((count) => count === 0)).toBe(true)
  expect(task).toMatchObject({ status: 'MANUAL', lastErrorCode: 'MISCONFIGURED_TOO_LONG' })
  const endedAfterMs = msOf(world.clock.now()) - msOf(due)
  expect(endedAfterMs).toBeGreaterThanOrEqual(24 * HOUR_MS)
  expect(endedAfterMs).toBeLessThan(totalMs + 27 * HOUR_MS)
  expect(tasksOf(await fileOf(world, first), 'START_EXECUTION')).toHaveLength(1)
})

it.each([
  [new SecretMissingError(BANK, 'it has no text'), 'SECRET_MISSING', ['PAUSED']],
  [new KeyFormatError('paypal', 'clientId', 'is empty'), 'KEY_FORMAT', ['PAUSED']],
  [new Error('Secrets Manager does not answer'), 'HANDLER_THREW', []],
])('a channel whose key cannot be opened (%s) is paused when the key is at fault', async (error, code, changes) => {
  const scene = await aScene()
  const { world, gate } = scene
  const deps = workWith(scene, () => Promise.reject(error))
  const orderNo = await putPayingOrder(world)

  const task = await runDue(world, deps, orderNo, 'QUERY_PAYMENT')

  expect(task).toMatchObject({ status: 'RETRY', lastErrorCode: code })
  expect(gate.changes).toEqual(changes)
})

it('a channel that refuses our key is asked once more by the key that was put in since, and pauses nobody', async () => {
  const scene = await aScene({})
  const { world, gate } = scene
  const refused = openPaypal(world, () => json(401, { name: 'AUTHENTICATION_FAILURE' }))
  const rotated = openPaypal(world, () => json(200, { status: 'CREATED', purchase_units: [] }))
  const orderNo = await aReferredOrder(world, 'RIGHT')

  const deps = workWith(
    scene,
    async () => refused,
    async () => rotated,
  )
  const query = await runDue(world, deps, orderNo, 'QUERY_PAYMENT')

  expect(query.lastErrorCode).not.toBe('AUTHENTICATION_FAILURE')
  expect((await gate.read(BANK)).state).toBe('PASSING')
})
