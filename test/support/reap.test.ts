import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import setup from './global-setup.ts'
import { slownessOf } from './machine-pace.ts'
import { reapProcesses } from './reap.ts'

const HOLD_ENGINE = resolve(import.meta.dirname, '../local/engines/dynamodb/hold-engine.ts')
const FOR_EVER = 'process.stdout.write("up"); setInterval(() => {}, 1000)'

const startNode = async (...args: readonly string[]): Promise<ChildProcess> => {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}/exe`)
const engineIn = (folder: string): number =>
  z.object({ engine: z.number() }).parse(JSON.parse(readFileSync(join(folder, 'dynamodb.pid'), 'utf8'))).engine

it('an engine whose owner was killed is ended by the name of its folder, and nothing else is', async () => {
  const [folder, other] = [mkdtempSync(join(tmpdir(), 'reap-')), mkdtempSync(join(tmpdir(), 'spare-'))]
  const owner = await startNode(HOLD_ENGINE, folder)
  const bystander = await startNode('-e', FOR_EVER, other)
  const engine = engineIn(folder)
  owner.kill('SIGKILL')
  await once(owner, 'exit')
  expect(isAlive(engine)).toBe(true)

  const reaped = reapProcesses([folder])

  expect(reaped.map(({ pid }) => pid)).toEqual([engine])
  expect(isAlive(engine)).toBe(false)
  expect(bystander.exitCode).toBeNull()
  expect(reapProcesses([folder])).toEqual([])
})

it('what a test starts on a temporary folder, or with the environment of its run, ends with the run', async () => {
  const before = tmpdir()
  const endRun = await setup({ provide: () => {} })
  const folder = mkdtempSync(join(tmpdir(), 'left-'))
  const owner = await startNode(HOLD_ENGINE, folder)
  const child = await startNode('-e', FOR_EVER)
  const engine = engineIn(folder)
  const ends = Promise.all([once(owner, 'exit'), once(child, 'exit')])

  endRun()

  expect(await ends).toEqual([
    [null, 'SIGKILL'],
    [null, 'SIGKILL'],
  ])
  expect(isAlive(engine)).toBe(false)
  expect(existsSync(folder)).toBe(false)
  expect(tmpdir()).toBe(before)
})

it.each([
  [0.5, 0, 2, 1],
  [3, 1, 2, 3],
  [1, 8, 2, 4],
  [2, 8, 2, 8],
  [50, 50, 2, 20],
])('a pace of %d under a load of %d on %d cores makes limits %d times as long', (pace, load, cores, slowness) => {
  expect(slownessOf(pace, load, cores)).toBe(slowness)
})
