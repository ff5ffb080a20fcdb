import { expect, it } from 'vitest'
import { runTask } from '../../functions/work/run-task.ts'
import type { TaskHandler } from '../../functions/work/task-handler.ts'
import { plusMs } from '../../modules/core/instant.ts'
import type { Outcome } from '../../modules/core/outcome.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import type { Gate, Reservation, Take } from '../../modules/gate/open-gate.ts'
import { requeueWrites } from '../../modules/ledger/task/requeue-task.ts'
import { fileOf, putOrder, taskOf } from '../support/ledger-builders.ts'
import { messageFor, openToAll, openWorld, type World } from '../support/world.ts'

const go: Take = { kind: 'go', afterMs: 0, epoch: 1 }

/** A gate that answers per lane and notes what it was shown. */
function aGate(answers: Record<string, Take>) {
  const shown: [lane: string, reservation: Reservation | undefined][] = []
  const reported: [lane: string, kind: string][] = []
  const gate: Gate = {
    ...openToAll,
    take: async (lane, { reservation }) => {
      shown.push([lane, reservation])
      return answers[lane] ?? go
    },
    report: async (lane, { kind }) => {
      reported.push([lane, kind])
      return undefined
    },
  }
  return { gate, answers, shown, reported }
}

const handlerAt = (lanes: readonly string[], outcome: Outcome = { kind: 'done' }): TaskHandler => ({
  look: ({ task: { idempotencyKey } }) => ({ kind: 'go', target: 'test', idempotencyKey }),
  gates: () => lanes,
  call: async () => ({ outcome }),
})

/** An order whose closing is carried out by this handler behind this gate. */
async function aScene(handler: TaskHandler, gate: Gate) {
  const world = await openWorld()
  const orderNo = await putOrder(world)
  const deps = { ...world.workDeps, gate, handlers: { CLOSE_ORDER: handler } }
  const closing = async () => taskOf(await fileOf(world, orderNo), 'CLOSE_ORDER')
  const run = async () => {
    const task = await closing()
    world.clock.set(task.nextExecuteAt)
    await runTask(deps, messageFor(task, world.clock.now()), 'worker-1')
    return closing()
  }
  return { world, run }
}

const parkedFor = (world: World): Take => {
  const until = plusMs(world.clock.now(), 3_600_000)
  return { kind: 'park', until, slotAt: plusMs(until, 1_000), epoch: 1, reason: 'RATE' }
}

it('the slot that a task of several gates holds is shown to the gate that gave it, and to no other', async () => {
  const { gate, answers, shown } = aGate({})
  const { world, run } = await aScene(handlerAt(['first', 'second']), gate)
  const park = parkedFor(world)

  answers['second'] = park
  const parked = await run()
  delete answers['second']
  const done = await run()

  const reservation = park.kind === 'park' ? { slotAt: park.slotAt, epoch: 1 } : undefined
  expect(parked).toMatchObject({ slotLane: 'second', gateEpoch: 1, lastErrorCode: 'GATE_RATE' })
  expect(shown).toEqual([
    ['first', undefined],
    ['second', undefined],
    ['first', undefined],
    ['second', reservation],
  ])
  expect(done.status).toBe('SUCCESS')
  expect(done).not.toHaveProperty('slotLane')
  expect(done).not.toHaveProperty('slotAt')
})

it('a ticket that goes round again holds no slot', async () => {
  const { gate, answers } = aGate({})
  const { world, run } = await aScene(handlerAt(['only']), gate)
  answers['only'] = parkedFor(world)
  const parked = await run()

  const asked = { at: world.clock.now(), by: 'ops' }
  const [write] = requeueWrites({ ...parked, status: 'MANUAL' }, asked, {
    policies: bindPolicies({}),
    now: world.clock.now(),
  })

  expect(parked).toMatchObject({ slotLane: 'only' })
  expect(write).toMatchObject({ remove: expect.arrayContaining(['slotAt', 'slotLane', 'gateEpoch']) })
})

const answered: Outcome = { kind: 'notYet', code: 'LATER' }

it('a call is reported to the one gate that it passed, whatever the lane of its task', async () => {
  const { gate, reported } = aGate({})
  const { run } = await aScene(handlerAt(['notices'], answered), gate)

  await run()

  expect(reported).toEqual([['notices', 'notYet']])
})

it('of a call behind several gates, or behind none, nobody is told', async () => {
  const several = aGate({})
  const none = aGate({})
  const scenes = [
    await aScene(handlerAt(['first', 'second'], answered), several.gate),
    await aScene(handlerAt([], answered), none.gate),
  ]

  for (const { run } of scenes) await run()

  expect([...several.reported, ...none.reported]).toEqual([])
})

it.each([
  ['ADDRESS_NOT_ALLOWED', []],
  ['INTERFACE_NOT_CONFIGURED', []],
  ['SECRET_MISSING', [['lane', 'misconfigured']]],
  ['SIGNING_KEY', [['lane', 'misconfigured']]],
  ['KEY_FORMAT', [['lane', 'misconfigured']]],
])('of %s the gate is told %j: an address is one task’s, a key is the lane’s', async (code, told) => {
  const { gate, reported } = aGate({})
  const { run } = await aScene(handlerAt(['lane'], { kind: 'misconfigured', code }), gate)

  await run()

  expect(reported).toEqual(told)
})
