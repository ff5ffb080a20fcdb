import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DescribeTableCommand, GetItemCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, expect, it } from 'vitest'
import { findBinary } from '../../../../local/engines/dynamodb/find-binary.ts'
import { startDynamodb } from '../../../../local/engines/dynamodb/start-dynamodb.ts'
import { hasStreamIndex } from '../../../../local/engines/dynamodb/stream-index.ts'
import { clientFor, makeStateDir } from './ledger-table.ts'

const stateDir = makeStateDir()
const children = new Set<ReturnType<typeof spawn>>()

afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(stateDir, { recursive: true, force: true })
})

it('what was answered survives a kill of the parent, whose orphaned engine is ended at the next start', async () => {
  const writer = spawn(process.execPath, [join(import.meta.dirname, 'hold-engine.ts'), stateDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(writer)
  let answered = 0
  for await (const line of createInterface(writer.stdout)) {
    answered = Number(line)
    if (answered === 100) writer.kill('SIGKILL')
  }
  const { engine } = JSON.parse(readFileSync(join(stateDir, 'dynamodb.pid'), 'utf8'))
  const orphanLived = isAlive(engine)

  const dynamodb = await startDynamodb({ stateDir, env: {} })

  const client = clientFor(dynamodb.endpoint)
  const first = await client.send(new GetItemCommand({ TableName: 'Ledger', Key: { pk: { S: '1' } } }))
  const last = await client.send(new GetItemCommand({ TableName: 'Ledger', Key: { pk: { S: String(answered) } } }))
  await dynamodb.stop()
  expect(answered).toBeGreaterThanOrEqual(100)
  expect([first.Item, last.Item]).toEqual([{ pk: { S: '1' } }, { pk: { S: String(answered) } }])
  expect(orphanLived).toBe(true)
  expect(isAlive(engine)).toBe(false)
})

it('a second process on the same state is refused and names the first', async () => {
  const holder = spawn(process.execPath, [join(import.meta.dirname, 'hold-engine.ts'), stateDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(holder)
  await once(holder.stdout, 'data')

  const second = startDynamodb({ stateDir, env: {} })

  await expect(second).rejects.toMatchObject({
    code: 'STATE_IN_USE',
    message: expect.stringContaining(`process ${holder.pid}`),
  })
  const { engine } = JSON.parse(readFileSync(join(stateDir, 'dynamodb.pid'), 'utf8'))
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  process.kill(engine)
})

it('a fresh state has the stream index, and stopping frees the state for the next start', async () => {
  const first = await startDynamodb({ stateDir, env: {} })
  await first.stop()
  const second = await startDynamodb({ stateDir, env: {} })

  const tables = await clientFor(second.endpoint).send(new ListTablesCommand({}))

  await second.stop()
  expect(tables.TableNames).toEqual([])
  expect(hasStreamIndex(join(stateDir, 'dynamodb.sqlite'))).toBe(true)
})

it('an engine that ends by itself is reported', async () => {
  const failure = Promise.withResolvers<Error>()
  await startDynamodb({ stateDir, env: {}, onFailure: failure.resolve })
  const { engine } = JSON.parse(readFileSync(join(stateDir, 'dynamodb.pid'), 'utf8'))

  process.kill(engine, 'SIGKILL')

  expect(await failure.promise).toMatchObject({ code: 'ENGINE_FAILED', message: expect.stringContaining('SIGKILL') })
})

it('a given endpoint is used as it is and nothing is started', async () => {
  const dynamodb = await startDynamodb({ stateDir, env: { BACKSTOP_DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' } })

  const call = clientFor(dynamodb.endpoint).send(new DescribeTableCommand({ TableName: 'Ledger' }))

  await expect(call).rejects.toThrow('ECONNREFUSED')
})

it('a platform without the engine is told of the way out', () => {
  expect(() => findBinary('sunos', 'sparc')).toThrow(
    expect.objectContaining({ code: 'NO_ENGINE', message: expect.stringContaining('BACKSTOP_DYNAMODB_ENDPOINT') }),
  )
})

/** A zombie that no init collects (as in some containers) has ended too. */
function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}
