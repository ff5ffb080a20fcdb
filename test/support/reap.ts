import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** How long a process may take to be gone once it was killed, ms. */
const GONE_WITHIN_MS = 10_000
const LOOK_EVERY_MS = 10

/** A process that named one of a run's folders. */
export interface Reaped {
  readonly pid: number
  readonly command: string
}

/**
 * Kills every process whose command line or environment names one of these folders, until none is left: one that is being killed
 * may have started another. It works in an `exit` hook, so it waits without giving way.
 * @returns what was killed
 * @throws Error when a process outlives its kill
 */
export function reapProcesses(folders: readonly string[]): readonly Reaped[] {
  const reaped = new Map<number, Reaped>()
  const until = Date.now() + GONE_WITHIN_MS
  for (;;) {
    const found = listProcesses().filter(
      ({ pid, words }) => pid !== process.pid && folders.some((folder) => words.includes(folder)),
    )
    if (found.length === 0) return [...reaped.values()]
    for (const { pid, command } of found) {
      reaped.set(pid, { pid, command })
      kill(pid)
    }
    if (Date.now() > until)
      throw new Error(`Still there after a kill: ${found.map(({ command }) => command).join('; ')}`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_EVERY_MS)
  }
}

interface Listed {
  readonly pid: number
  readonly command: string
  /** Command line, and where the system shows it, environment. */
  readonly words: string
}

/** Every process of this machine that we may look at. */
function listProcesses(): readonly Listed[] {
  if (!existsSync('/proc/self/cmdline')) return listByPs()
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      const command = readProc(`/proc/${name}/cmdline`).replaceAll('\0', ' ').trim()
      return { pid: Number(name), command, words: `${command}\n${readProc(`/proc/${name}/environ`)}` }
    })
}

function listByPs(): readonly Listed[] {
  return execFileSync('ps', ['-A', '-o', 'pid=', '-o', 'args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim())
    .map((line) => ({ pid: Number.parseInt(line, 10), command: line, words: line }))
    .filter(({ pid }) => Number.isInteger(pid))
}

/** Nothing for a process that ended meanwhile, or that belongs to somebody else. */
function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (hasCode(error, ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'])) return ''
    throw error
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It ended by itself between the two lines.
    if (!hasCode(error, ['ESRCH'])) throw error
  }
}

const hasCode = (error: unknown, codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))
