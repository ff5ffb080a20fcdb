import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { lineOf } from './doctor/finding.ts'
import { runDoctor } from './doctor/run-doctor.ts'
import { deployedTarget, localTarget, type Target, TargetError } from './doctor/target.ts'

const STATE_DIR = resolve(import.meta.dirname, '../.backstop')

const { values } = parseArgs({
  options: {
    // A deployed stack; without it, the one that runs on this machine.
    'stack-outputs': { type: 'string' },
    // Another address of its API, for one behind a domain of your own.
    url: { type: 'string' },
  },
})

try {
  const target = withUrl(findTarget(values['stack-outputs']), values.url)
  const findings = await runDoctor(target, Date.now())
  for (const finding of findings) console.log(lineOf(finding))
  const faults = findings.filter(({ state }) => state === 'fault').length
  console.log(faults === 0 ? '\nNo fault found.' : `\n${faults} of ${findings.length} checks found a fault.`)
  process.exitCode = faults === 0 ? 0 : 1
} catch (error) {
  if (!(error instanceof TargetError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

function findTarget(outputsPath: string | undefined): Target {
  return outputsPath === undefined ? localTarget(STATE_DIR) : deployedTarget(readOutputs(outputsPath))
}

function readOutputs(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new TargetError(`${path} cannot be read.`, { cause })
  }
}

function withUrl(target: Target, url: string | undefined): Target {
  return url === undefined ? target : { ...target, outputs: { ...target.outputs, ApiUrl: url.replace(/\/$/, '') } }
}
