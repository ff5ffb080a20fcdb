import { rmSync } from 'node:fs'
import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { marshall } from '@aws-sdk/util-dynamodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ensureTable } from '../../local/engines/dynamodb/ensure-table.ts'
import { type Dynamodb, startDynamodb } from '../../local/engines/dynamodb/start-dynamodb.ts'
import { gateDefaults } from '../../modules/core/gate/config.ts'
import { countAnswers, planTake } from '../../modules/core/gate/gate.ts'
import { noStreaks, planChange } from '../../modules/core/gate/report.ts'
import { type GateWrite, newGateRow } from '../../modules/core/gate/row.ts'
import { instantOf, msOf } from '../../modules/core/instant.ts'
import { openGateTable, readGateRow, writeGateRow } from '../../modules/gate/gate-table.ts'
import { type GateOptions, openGate, type Take } from '../../modules/gate/open-gate.ts'
import { clientFor, makeStateDir } from '../local/engines/dynamodb/ledger-table.ts'
import { LaneModel } from './lane-model.ts'
import { seededRandom } from './storm.ts'

const T0 = 1_800_000_000_000
const NOW = instantOf(T0)
const stateDir = makeStateDir()
let dynamodb: Dynamodb

beforeAll(async () => {
  dynamodb = await startDynamodb({ stateDir, env: {} })
  await ensureTable(clientFor(dynamodb.endpoint), 'Gate', {
    KeySchema: [{ AttributeName: 'lane', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'lane', AttributeType: 'S' }],
  })
})

afterAll(async () => {
  await dynamodb.stop()
  rmSync(stateDir, { recursive: true })
})

/** A gate as one worker has it, and the names of the commands that it sends. */
function aGate(options: GateOptions = {}) {
  const client = clientFor(dynamodb.endpoint)
  const sent: string[] = []
  client.middlewareStack.add(
    (next, context) => (args) => {
      sent.push(context['commandName'] ?? '?')
      return next(args)
    },
    { step: 'initialize' },
  )
  const gate = openGate('Gate', { client, nowMs: () => T0, random: () => 0, ...options })
  return { gate, sent }
}

const slotMs = (take: Take) => (take.kind === 'go' ? T0 + take.afterMs : msOf(take.slotAt))
const backlog = { live: false, now: NOW }

it('sixteen workers that race for a new lane get distinct slots, one interval apart', async () => {
  const gates = Array.from({ length: 16 }, () => aGate())

  const takes = await Promise.all(gates.map(({ gate }) => gate.take('raced', backlog)))

  // 20 a second, of which a fifth is kept for live traffic: 62.5 ms.
  const expected = Array.from({ length: 16 }, (_, index) => T0 + index * 62.5)
  expect(takes.map(slotMs).toSorted((a, b) => a - b)).toEqual(expected)
})

it('a take is one UpdateItem, and those who ask at the same time share one', async () => {
  const { gate, sent } = aGate()
  await gate.take('counted', backlog)
  sent.length = 0

  for (let call = 0; call < 5; call++) {
    const take = await gate.take('counted', backlog)
    await gate.report('counted', { epoch: take.epoch, kind: 'done', latencyMs: 100 })
  }
  const oneByOne = sent.splice(0)
  await Promise.all(Array.from({ length: 10 }, () => gate.take('counted', backlog)))

  expect(oneByOne).toEqual(Array.from({ length: 5 }, () => 'UpdateItemCommand'))
  expect(sent).toEqual(['UpdateItemCommand', 'UpdateItemCommand'])
})

it('good answers arrive in the row with the next take', async () => {
  const { gate } = aGate()
  for (let call = 0; call < 4; call++) {
    const take = await gate.take('answered', backlog)
    await gate.report('answered', { epoch: take.epoch, kind: 'done', latencyMs: 100 })
  }

  expect(await gate.read('answered')).toMatchObject({ calls: 3, failures: 0, state: 'PASSING' })
})

it('a task that comes back at its slot goes without a write', async () => {
  const { gate, sent } = aGate()
  const takes = await Promise.all(Array.from({ length: 100 }, () => gate.take('reserved', backlog)))
  const parked = takes.at(-1)
  if (parked?.kind !== 'park') throw new Error('A hundred calls do not fit into two seconds.')
  sent.length = 0

  const again = await gate.take('reserved', { live: false, now: parked.until, reservation: parked })

  expect(again).toEqual({ kind: 'go', afterMs: msOf(parked.slotAt) - msOf(parked.until), epoch: parked.epoch })
  expect(sent).toEqual(['GetItemCommand'])
})

it('the last failure opens the breaker for every worker, and one report alone hears of it', async () => {
  const gates = Array.from({ length: 4 }, () => aGate().gate)
  const takes = await Promise.all(
    gates.flatMap((gate) => Array.from({ length: 10 }, () => gate.take('broken', backlog))),
  )
  const epoch = Math.max(...takes.map((take) => take.epoch))

  const failed = { kind: 'unknown', latencyMs: 100 } as const
  const changes = await Promise.all(
    gates.flatMap((gate) => Array.from({ length: 10 }, () => gate.report('broken', { ...failed, epoch }))),
  )
  const stale = await gates[0]?.report('broken', { ...failed, epoch })

  expect(changes.filter((change) => change !== undefined)).toHaveLength(1)
  expect(stale).toBeUndefined()
})

it('a lane that is paused parks everybody, other lanes go on, and resuming lets it go at once', async () => {
  const [one, other] = [aGate().gate, aGate().gate]
  await one.pause('paused', instantOf(T0 + 600_000), 'maintenance')

  const paused = await other.take('paused', { live: true, now: NOW })
  const calm = await other.take('calm', { live: true, now: NOW })
  const status = await one.read('paused')
  await one.resume('paused')
  const resumed = await aGate().gate.take('paused', { live: true, now: NOW })

  expect(paused).toMatchObject({ kind: 'park', reason: 'PAUSED' })
  expect(calm).toMatchObject({ kind: 'go', afterMs: 0 })
  expect(status).toMatchObject({ state: 'PAUSED', reason: 'maintenance', openUntil: instantOf(T0 + 600_000) })
  expect(resumed).toMatchObject({ kind: 'go', afterMs: 0 })
})

it('a backlog in one lane leaves another lane alone', async () => {
  const { gate } = aGate()
  await Promise.all(Array.from({ length: 1_000 }, () => gate.take('stormy', backlog)))

  const takes = await Promise.all(Array.from({ length: 5 }, () => gate.take('quiet', backlog)))

  expect(takes.map(slotMs)).toEqual([0, 62.5, 125, 187.5, 250].map((ms) => T0 + ms))
})

it('without its table the gate parks for a few seconds, and the task asks anew', async () => {
  const { gate } = aGate()
  const { gate: broken } = { gate: openGate('Nowhere', { client: clientFor(dynamodb.endpoint), random: () => 0.5 }) }

  const take = await broken.take('any', backlog)
  const report = await broken.report('any', { epoch: 1, kind: 'unknown', latencyMs: 100 })
  if (take.kind !== 'park') throw new Error('Without its table the gate lets nothing go.')
  const again = await gate.take('any', { live: false, now: take.until, reservation: take })

  expect(take).toMatchObject({ reason: 'GATE_UNAVAILABLE', until: instantOf(T0 + 7_500) })
  expect(report).toBeUndefined()
  expect(again.kind).toBe('go')
})

it('the model of a row behaves as the engine does', async () => {
  const table = openGateTable('Gate', clientFor(dynamodb.endpoint))
  const model = new LaneModel()
  const random = seededRandom(11)

  for (let step = 0; step < 150; step++) {
    const nowMs = T0 + step * 1_700
    // Now and then planned from an old view, so that conditions fail.
    const seen = random() < 0.2 ? newGateRow(gateDefaults, T0) : (model.row ?? newGateRow(gateDefaults, T0))
    const write = aWrite(seen, nowMs, random)

    const [ours, theirs] = [await model.write(write), await writeGateRow(table, 'modelled', write)]

    expect(theirs).toEqual(ours)
  }
  expect(model.lost).toBeGreaterThan(5)
  expect(await readGateRow(table, 'modelled')).toEqual(model.row)
})

function aWrite(row: ReturnType<typeof newGateRow>, nowMs: number, random: () => number): GateWrite {
  const dice = random()
  if (dice < 0.2) return countAnswers(row, { calls: 2, failures: 1 }, nowMs, gateDefaults)
  const kind = dice < 0.3 ? 'misconfigured' : dice < 0.5 ? 'unknown' : 'done'
  const plan = planChange(
    row,
    { epoch: row.epoch, kind, latencyMs: 1 },
    { ...noStreaks, strikes: 2 },
    { nowMs, config: gateDefaults },
  )
  if (dice < 0.6 && plan !== undefined) return plan.write
  const ask = {
    live: random() < 0.5,
    count: 1 + Math.floor(random() * 3),
    goodAnswers: Math.floor(random() * 3),
    nowMs,
  }
  return planTake(row, ask, gateDefaults).write
}

it('a row in the words of an earlier release is read, probed and let pass again', async () => {
  const former = { ...newGateRow(gateDefaults, T0 - 60_000), epoch: 3, state: 'OPEN', openUntil: T0 - 1 }
  await clientFor(dynamodb.endpoint).send(
    new PutItemCommand({ TableName: 'Gate', Item: marshall({ lane: 'former', ...former }) }),
  )
  const { gate } = aGate()

  const before = await gate.read('former')
  const take = await gate.take('former', backlog)
  const change = await gate.report('former', { epoch: take.epoch, kind: 'done', latencyMs: 100 })

  expect([before.state, take.kind, change]).toEqual(['PROBING', 'go', 'PASSING'])
})
