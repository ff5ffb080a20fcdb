import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { TestProject } from 'vitest/node'
import { z } from 'zod'

declare module 'vitest' {
  export interface ProvidedContext {
    /** File of the synthesized template that holds the ledger's table. */
    ledgerTemplate: string
    /** Folder for the engines' files of this run. */
    ledgerStates: string
  }
}

const PROJECT_DIR = resolve(import.meta.dirname, '../..')
/** What the table's properties can depend on. */
const SOURCES = ['infra/ledger.ts', 'infra/grant.ts', 'package-lock.json', 'test/support/global-setup.ts']

/** What all test files of a run share: the ledger's table, and a folder whose engines end with the run. */
export default async function setup(project: TestProject): Promise<() => void> {
  project.provide('ledgerTemplate', await keepTemplate())
  const states = mkdtempSync(join(memoryDir(), 'backstop-test-'))
  project.provide('ledgerStates', states)
  const end = () => endEngines(states)
  // An interrupted run skips its teardown, but not this.
  process.once('exit', end)
  return () => {
    process.off('exit', end)
    end()
  }
}

const holderSchema = z.object({ engine: z.number().int().positive() })

/** A worker that is terminated runs no hook: the engine that it leaves is ended by the process noted in this run's own folder. */
function endEngines(states: string): void {
  for (const name of readdirSync(states)) {
    const noted = join(states, name, 'dynamodb.pid')
    if (!existsSync(noted)) continue
    try {
      process.kill(holderSchema.parse(JSON.parse(readFileSync(noted, 'utf8'))).engine, 'SIGKILL')
    } catch (error) {
      // ESRCH: it ended by itself between the two lines.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
  rmSync(states, { recursive: true, force: true })
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
  new Ledger(stack, 'Ledger')
  return Template.fromStack(stack).toJSON()
}
