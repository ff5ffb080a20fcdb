import { beforeAll, expect, it } from 'vitest'
import { ensureTable } from '../../local/engines/dynamodb/ensure-table.ts'
import { instantOf, msOf, plusMs } from '../../modules/core/instant.ts'
import { openGate } from '../../modules/gate/open-gate.ts'
import { openClient, openTestLedger } from '../support/ledger.ts'
import { again, depsFor, NOW, putTaskRow, runCommand } from './setup.ts'

const { ledger, endpoint } = await openTestLedger()
const client = openClient(endpoint)
const HOUR_MS = 3_600_000
const openOurs = () => openGate('Gate', { client, nowMs: () => msOf(NOW), random: () => 0 })

beforeAll(async () => {
  await ensureTable(client, 'Gate', {
    KeySchema: [{ AttributeName: 'lane', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'lane', AttributeType: 'S' }],
    BillingMode: 'PAY_PER_REQUEST',
  })
})

const depsOf = (lane: string) => depsFor(ledger, lane, { gate: openOurs() })

it('all gates are shown, also of lanes that were never used, and none for our own work', async () => {
  const { code, printed } = await runCommand(depsOf('unused'), 'gate')

  expect(code).toBe(0)
  expect(printed).toEqual([
    expect.stringMatching(/^shown +gate unused: PASSING, 20\/s, 0 of 0 calls failed/),
    expect.stringMatching(/^shown +gate merchant: PASSING/),
    expect.stringMatching(/^shown +gate notices: PASSING/),
    '3 in all: 3 shown.',
  ])
})

it('a paused lane lets no call go, and says until when, why and who', async () => {
  const paused = await runCommand(depsOf('paused'), 'gate', 'pause', 'paused', '--for', '10m', '--reason', 'new keys')

  expect(paused.code).toBe(0)
  expect(paused.printed[0]).toMatch(/^done +gate pause paused: until 2026-03-01T08:10:00.000Z, new keys \(alice, /)
  const take = await openOurs().take('paused', { live: true, now: NOW })
  expect(take).toMatchObject({ kind: 'park', reason: 'PAUSED' })
  const { printed } = await runCommand(depsOf('paused'), 'gate', 'paused')
  expect(printed[0]).toContain('PAUSED')
  expect(printed[0]).toContain(`kept back until ${plusMs(NOW, 600_000)}, new keys (alice)`)
})

it('a lane that is resumed lets calls go at once', async () => {
  await runCommand(depsOf('resumed'), 'gate', 'pause', 'resumed', '--for', '1h', '--reason', 'a look')

  const { printed } = await runCommand(depsOf('resumed'), 'gate', 'resume', 'resumed')

  expect(printed[0]).toMatch(/^done +gate resume resumed/)
  expect(await openOurs().take('resumed', { live: true, now: instantOf(msOf(NOW)) })).toMatchObject({ kind: 'go' })
})

it('a lane that is resumed has what it parked ask again, at its rate, however far ahead it was put off', async () => {
  const parked = {
    lastErrorCode: 'GATE_PAUSED',
    slotLane: 'woken',
    slotAt: plusMs(NOW, 23 * HOUR_MS),
    gateEpoch: 1,
    nextExecuteAt: plusMs(NOW, 23 * HOUR_MS),
    dueAt: plusMs(NOW, 23 * HOUR_MS + 90_000),
    parkedMs: 23 * HOUR_MS,
    deadlineAt: plusMs(NOW, 30 * HOUR_MS),
  } as const
  const waiting = await putTaskRow(ledger, 'woken', { ...parked, status: 'WAITING' })
  const climbing = await putTaskRow(ledger, 'woken', { ...parked, status: 'RETRY', retryCount: 3 })
  const others = [
    await putTaskRow(ledger, 'woken', { ...parked, status: 'RETRY', slotLane: 'elsewhere' }),
    await putTaskRow(ledger, 'woken', { ...parked, status: 'RETRY', lastErrorCode: 'HTTP_500' }),
    await putTaskRow(ledger, 'woken', { ...parked, status: 'MANUAL' }),
    await putTaskRow(ledger, 'woken', { ...parked, status: 'WAITING', nextExecuteAt: NOW, dueAt: NOW }),
  ]
  await runCommand(depsOf('woken'), 'gate', 'pause', 'woken', '--for', '24h', '--reason', 'a look')

  const { printed } = await runCommand(depsOf('woken'), 'gate', 'resume', 'woken')

  expect(printed[1]).toMatch(/^done +wake woken: 2 parked tasks ask again/)
  const [first, second] = [await again(ledger, waiting), await again(ledger, climbing)]
  expect([first.nextExecuteAt, second.nextExecuteAt].sort()).toEqual([NOW, plusMs(NOW, 50)])
  for (const task of [first, second]) {
    expect(task.wake).toBe(task.nextExecuteAt)
    expect(task).not.toHaveProperty('slotAt')
    expect(msOf(task.deadlineAt)).toBeLessThanOrEqual(msOf(NOW) + 7 * HOUR_MS + 50)
  }
  expect(second).toMatchObject({ status: 'RETRY', retryCount: 3 })
  for (const task of others) expect((await again(ledger, task)).rev).toBe(task.rev)
})

it('our own lane has no gate', async () => {
  await expect(runCommand(depsOf('bank'), 'gate', 'resume', 'internal')).rejects.toThrow(
    "There is no gate of 'internal'; there are bank, merchant, notices.",
  )
})
