import { readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'

const PACKAGES = ['@aws-sdk/client-sqs', '@aws-sdk/client-dynamodb', '@dynoxide/linux-x64', 'esbuild', 'aws-cdk-lib']
const manifest = z.object({ version: z.string() })

/** What the figures were taken on: without it they mean nothing. */
export function describeMachine() {
  const all = cpus()
  return {
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform}-${process.arch}`,
  }
}

export function describeVersions(): Readonly<Record<string, string>> {
  const versions = PACKAGES.map((name) => [name, versionOf(name)] as const)
  return { node: process.versions.node, ...Object.fromEntries(versions) }
}

function versionOf(name: string): string {
  const path = resolve(import.meta.dirname, '../node_modules', name, 'package.json')
  try {
    return manifest.parse(JSON.parse(readFileSync(path, 'utf8'))).version
  } catch {
    return 'not installed' // an optional one for another platform
  }
}
