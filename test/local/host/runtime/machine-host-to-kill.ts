import { setTimeout as sleep } from 'node:timers/promises'
import { startStack } from '../../../../local/host/stack.ts'
import { machineTemplate } from './machine-template.ts'

// A host in a process of its own, for the test that kills it. Its gateway's address goes to standard output.
const [stateDir = ''] = process.argv.slice(2)
const stack = await startStack({ template: machineTemplate, stateDir, rootDir: import.meta.dirname })
process.stdout.write(`${stack.gatewayUrl}\n`)
// Nothing else keeps the process: it is there to be killed.
for (;;) await sleep(1_000)
