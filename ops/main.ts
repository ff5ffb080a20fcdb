import { ArgumentError, readArguments } from './arguments.ts'
import { openDeps } from './deps.ts'
import { TargetError } from './doctor/target.ts'
import { findTarget } from './find-target.ts'
import { runOps } from './run-ops.ts'

try {
  const { command, json, ...wanted } = readArguments(process.argv.slice(2))
  const deps = openDeps(await findTarget(wanted))
  process.exitCode = await runOps(deps, command, json, console.log)
} catch (error) {
  if (!(error instanceof TargetError || error instanceof ArgumentError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
