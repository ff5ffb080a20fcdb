import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { DynamodbEngineError } from './errors.ts'

const readyTimeoutMs = 15_000
const stopGraceMs = 5_000
const portTries = 5

/** A running engine. */
export interface EngineProcess {
  endpoint: string
  pid: number
  /** Resolves once the process has ended, whoever ended it, with its last words. */
  ended: Promise<string>
  stop(): Promise<void>
}

/**
 * Runs the engine on a database file, on a free port of a loopback address that nobody can guess: it answers any page of a browser
 * (`access-control-allow-origin: *`) and has no option against that, so a page must not find it.
 * @param onSpawn called with the pid before anything else can go wrong
 * @throws DynamodbEngineError ENGINE_FAILED with the engine's own words
 */
export async function runEngine(
  binary: string,
  dbPath: string,
  onSpawn: (pid: number) => void,
): Promise<EngineProcess> {
  for (let tryNo = 1; ; tryNo++) {
    try {
      return await runAt(binary, dbPath, await findFreePlace(), onSpawn)
    } catch (error) {
      // Another program may take the free port before the engine does.
      if (tryNo === portTries || !(error instanceof Error) || !/in use|bind/i.test(error.message)) throw error
    }
  }
}

async function runAt(
  binary: string,
  dbPath: string,
  { host, port }: Place,
  onSpawn: (pid: number) => void,
): Promise<EngineProcess> {
  const args = ['serve', '--host', host, '--port', String(port), '--db-path', dbPath]
  const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'], env: {} })
  const killWithParent = () => child.kill('SIGKILL')
  process.on('exit', killWithParent)
  if (child.pid !== undefined) onSpawn(child.pid)
  let words = ''
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(`${words.trim()} (exit ${code ?? signal})`))
  }).finally(() => process.off('exit', killWithParent))
  const ready = new Promise<void>((resolve) => {
    const listen = (chunk: Buffer) => {
      words = (words + chunk.toString()).slice(-2_000)
      if (words.includes('listening on')) resolve()
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
  })
  const failure = await firstOf(ready, ended)
  if (failure !== undefined || child.pid === undefined) {
    await stopChild(child, ended)
    throw new DynamodbEngineError('ENGINE_FAILED', `The DynamoDB engine did not start: ${failure ?? 'no process'}`)
  }
  return { endpoint: `http://${host}:${port}`, pid: child.pid, ended, stop: () => stopChild(child, ended) }
}

async function firstOf(ready: Promise<void>, ended: Promise<string>): Promise<string | undefined> {
  const late = Promise.withResolvers<string>()
  const timer = setTimeout(() => late.resolve(`silent for ${readyTimeoutMs} ms`), readyTimeoutMs)
  try {
    return await Promise.race([ready.then(() => undefined), ended, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function stopChild(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopGraceMs)
  await ended
  clearTimeout(timer)
}

interface Place {
  readonly host: string
  readonly port: number
}

/** One of 16 million addresses where the machine has all of 127/8, as Linux and Windows do; macOS has one alone. */
async function findFreePlace(): Promise<Place> {
  const octets = Array.from({ length: 3 }, () => randomInt(1, 255))
  const host = `127.${octets.join('.')}`
  try {
    return { host, port: await findFreePort(host) }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRNOTAVAIL')) throw error
    return { host: '127.0.0.1', port: await findFreePort('127.0.0.1') }
  }
}

/** The engine prints `:0` when it is told port 0, so the port is picked here. */
async function findFreePort(host: string): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new DynamodbEngineError('ENGINE_FAILED', 'No free port.')
  return address.port
}
