import { parseArgs } from 'node:util'
import { lineOf } from './doctor/finding.ts'
import { runDoctor } from './doctor/run-doctor.ts'
import { type Target, TargetError } from './doctor/target.ts'
import { findTarget } from './find-target.ts'

const { values } = parseArgs({
  options: {
    // A deployed stack; without it, the one that runs on this machine.
    'stack-outputs': { type: 'string' },
    // Its settings, when they are not in backstop.config.ts.
    config: { type: 'string' },
    // Another address of its API, for one behind a domain of your own.
    url: { type: 'string' },
  },
})

try {
  const { 'stack-outputs': stackOutputs, config, url } = values
  const wanted = { ...(stackOutputs !== undefined && { stackOutputs }), ...(config !== undefined && { config }) }
  const target = withUrl(await findTarget(wanted), url)
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

function withUrl(target: Target, url: string | undefined): Target {
  return url === undefined ? target : { ...target, outputs: { ...target.outputs, ApiUrl: url.replace(/\/$/, '') } }
}
