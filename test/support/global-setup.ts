import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { TestProject } from 'vitest/node'
import { measureSlowness } from './machine-pace.ts'
import { reapProcesses } from './reap.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** File of the synthesized template that holds the ledger's table. */
    ledgerTemplate: string
    /** Folder for the engines' files of this run. */
    ledgerStates: string
    /** How many times longer than on an idle machine of the usual speed a test may take. */
    slowness: number
  }
}

const PROJECT_DIR = resolve(import.meta.dirname, '../..')
/** What the table's properties can depend on. */
const SOURCES = ['infra/ledger.ts', 'infra/grant.ts', 'package-lock.json', 'test/support/global-setup.ts']

/**
 * What all test files of a run share: the ledger's table, folders that end with the run, and how slow this machine is now. Folders
 * that tests make elsewhere lie in the run's own, so that whatever was started on one of them is known by its name.
 */
export default async function setup(project: Pick<TestProject, 'provide'>): Promise<() => void> {
  project.provide('slowness', measureSlowness())
  project.provide('ledgerTemplate', await keepTemplate())
  const states = mkdtempSync(join(memoryDir(), 'backstop-test-'))
  const files = mkdtempSync(join(tmpdir(), 'backstop-test-'))
  project.provide('ledgerStates', states)
  const { TMPDIR: outer = tmpdir() } = process.env
  process.env['TMPDIR'] = files
  const end = () => endRun([states, files])
  // An interrupted run skips its teardown, but not this.
  process.once('exit', end)
  return () => {
    process.off('exit', end)
    process.env['TMPDIR'] = outer
    end()
  }
}

/** Nothing outlives a run: a test that ran out of time, and a worker that was terminated, stop nothing by themselves. */
function endRun(folders: readonly string[]): void {
  for (const { command } of reapProcesses(folders)) process.stderr.write(`Ended what a test left behind: ${command}\n`)
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

/** Memory where there is some, so that no test waits for a disk. */
function memoryDir(): string {
  try {
    accessSync('/dev/shm', constants.W_OK)
    return '/dev/shm'
  } catch {
    return tmpdir() // no such folder on this system
  }
}

/**
 * Synthesizes the ledger's construct: tests run on the very table that is deployed. Kept under a digest of its sources,
 * because loading CDK takes seconds.
 */
async function keepTemplate(): Promise<string> {
  const folder = join(PROJECT_DIR, '.backstop/test')
  const kept = join(folder, `ledger-${digestSources()}.json`)
  if (existsSync(kept)) return kept
  mkdirSync(folder, { recursive: true })
  const writing = `${kept}.${process.pid}`
  writeFileSync(writing, JSON.stringify(await synthesizeLedger()))
  // By renaming, so that a second run never reads half a file.
  renameSync(writing, kept)
  return kept
}

function digestSources(): string {
  const hash = createHash('sha256')
  for (const name of SOURCES) hash.update(readFileSync(join(PROJECT_DIR, name)))
  return hash.digest('hex').slice(0, 32)
}

async function synthesizeLedger(): Promise<unknown> {
  const { App, Stack } = await import('aws-cdk-lib')
  const { Template } = await import('aws-cdk-lib/assertions')
  const { Ledger } = await import('../../infra/ledger.ts')
  const stack = new Stack(new App(), 'LedgerStack')
  new Ledger(stack, 'Ledger', { deletionProtection: true })
  return Template.fromStack(stack).toJSON()
}
