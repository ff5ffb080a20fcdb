import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { DynamodbEngineError } from './errors.ts'

const holderSchema = z.object({ owner: z.number(), engine: z.number(), engineStartedAt: z.string() })
const orphanGraceMs = 2_000

/** One process at a time may run an engine on a state folder. */
export interface StateLock {
  /** Notes the running engine, so that the next start can end it if this process is killed. */
  noteEngine(pid: number): void
  release(): void
}

/**
 * Takes the folder and ends an engine that a killed owner left behind.
 *
 * The lock itself is a SQLite file held in an exclusive transaction: the kernel lets go of it when its owner dies,
 * however it dies, so there is no stale lock to judge. The pid file beside it only names the holder and the orphan.
 * @throws DynamodbEngineError STATE_IN_USE while another engine runs on the folder
 */
export async function lockState(stateDir: string): Promise<StateLock> {
  const pidPath = join(stateDir, 'dynamodb.pid')
  const lock = new DatabaseSync(join(stateDir, 'dynamodb.lock'))
  try {
    lock.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    const holder = readHolder(pidPath)
    throw new DynamodbEngineError(
      'STATE_IN_USE',
      `${stateDir} is in use by ${holder ? `process ${holder.owner}` : 'another process'}: stop that one first.`,
      { cause },
    )
  }
  await reapOrphan(pidPath)
  return {
    noteEngine(pid) {
      writeFileSync(pidPath, JSON.stringify({ owner: process.pid, engine: pid, engineStartedAt: startedAt(pid) ?? '' }))
    },
    release() {
      rmSync(pidPath, { force: true })
      lock.close()
    },
  }
}

async function reapOrphan(pidPath: string): Promise<void> {
  const holder = readHolder(pidPath)
  // Pids are used again after a while: only a process that also began at the noted moment is our orphan.
  const isOrphan = () => holder !== undefined && startedAt(holder.engine) === holder.engineStartedAt
  if (holder !== undefined && isOrphan()) {
    process.kill(holder.engine, 'SIGTERM')
    const until = Date.now() + orphanGraceMs
    while (isOrphan() && Date.now() < until) await sleep(10)
    if (isOrphan()) process.kill(holder.engine, 'SIGKILL')
    while (isOrphan()) await sleep(10)
  }
  rmSync(pidPath, { force: true })
}

function readHolder(pidPath: string): z.infer<typeof holderSchema> | undefined {
  const text = readIfThere(pidPath)
  if (text === undefined) return undefined
  try {
    return holderSchema.parse(JSON.parse(text))
  } catch {
    // Cut off by a kill in the middle of the write: it names nobody.
    return undefined
  }
}

/** The kernel's start tick of a live process; `undefined` when there is no such process, or only its zombie. */
function startedAt(pid: number): string | undefined {
  // The name in field 2 may hold spaces and brackets, so count from the last bracket: state is field 3, start 22.
  const fields = readIfThere(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ')
  return fields?.[0] === 'Z' ? undefined : fields?.[19]
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    // ESRCH: the process ended between opening and reading its file under /proc.
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return undefined
    throw error
  }
}
