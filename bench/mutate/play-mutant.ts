import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { applyEdit, type Mutant } from './mutant.ts'

const LIMIT_MS = 240_000

/** What the tests said: `caught` by a test that failed, `survived` when all of them passed. */
export type Verdict = 'caught' | 'survived'

/** Tests that neither passed nor failed show nothing about a mutant. */
class NothingPlayedError extends Error {
  override readonly name = 'NothingPlayedError'
  readonly code = 'NOTHING_PLAYED'
}

/**
 * Runs a mutant's tests on a copy of the project that has its fault, and takes the fault out again.
 * @param copy folder of the copy
 * @throws MutantGoneError, NothingPlayedError
 */
export async function playMutant(copy: string, { name, edits, tests }: Mutant): Promise<Verdict> {
  const before = new Map(edits.map(({ file }) => [file, readFileSync(join(copy, file), 'utf8')]))
  try {
    for (const edit of edits) {
      const path = join(copy, edit.file)
      writeFileSync(path, applyEdit(readFileSync(path, 'utf8'), edit))
    }
    const { passed, failed, isOver } = await runTests(copy, tests)
    if (failed > 0 || isOver) return 'caught'
    if (passed === 0) throw new NothingPlayedError(`No test ran for the mutant "${name}": ${tests.join(' ')}`)
    return 'survived'
  } finally {
    for (const [file, text] of before) writeFileSync(join(copy, file), text)
  }
}

/** Runs test files in a copy. @returns the counts of the closing line; `isOver` when it ran out of time */
export async function runTests(copy: string, tests: readonly string[]) {
  const args = ['local/run.mjs', 'node_modules/vitest/vitest.mjs', 'run', '--bail=1', '--maxWorkers=1', ...tests]
  const child = spawn(process.execPath, args, { cwd: copy, stdio: ['ignore', 'pipe', 'pipe'] })
  let words = ''
  const keep = (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-100_000)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const timer = setTimeout(() => child.kill('SIGTERM'), LIMIT_MS)
  const [, signal] = await once(child, 'close')
  clearTimeout(timer)
  const line = /^(\d+) passed, (\d+) failed/m.exec(words)
  return { passed: Number(line?.[1] ?? 0), failed: Number(line?.[2] ?? 0), isOver: signal === 'SIGTERM', words }
}
