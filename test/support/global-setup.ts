import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** File of the synthesized template that holds the ledger's table. */
    ledgerTemplate: string
  }
}

const PROJECT_DIR = resolve(import.meta.dirname, '../..')
/** What the table's properties can depend on. */
const SOURCES = ['infra/ledger.ts', 'infra/grant.ts', 'package-lock.json', 'test/support/global-setup.ts']

/**
 * Synthesizes the ledger's construct for all test files: tests run on the very table that is deployed. Kept under a digest of
 * its sources, because loading CDK takes seconds.
 */
export default async function setup(project: TestProject): Promise<void> {
  const folder = join(PROJECT_DIR, '.backstop/test')
  const kept = join(folder, `ledger-${digestSources()}.json`)
  if (!existsSync(kept)) {
    mkdirSync(folder, { recursive: true })
    const writing = `${kept}.${process.pid}`
    writeFileSync(writing, JSON.stringify(await synthesizeLedger()))
    // By renaming, so that a second run never reads half a file.
    renameSync(writing, kept)
  }
  project.provide('ledgerTemplate', kept)
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
