import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ArgumentError, readArguments } from './arguments.ts'
import { openDeps } from './deps.ts'
import { deployedTarget, localTarget, type Target, TargetError } from './doctor/target.ts'
import { runOps } from './run-ops.ts'

const STATE_DIR = resolve(import.meta.dirname, '../.backstop')

try {
  const { command, json, stackOutputs } = readArguments(process.argv.slice(2))
  const deps = openDeps(stackOutputs === undefined ? localTarget(STATE_DIR) : readTarget(stackOutputs))
  process.exitCode = await runOps(deps, command, json, console.log)
} catch (error) {
  if (!(error instanceof TargetError || error instanceof ArgumentError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

function readTarget(path: string): Target {
  try {
    return deployedTarget(readFileSync(path, 'utf8'))
  } catch (cause) {
    if (cause instanceof TargetError) throw cause
    throw new TargetError(`${path} cannot be read.`, { cause })
  }
}
