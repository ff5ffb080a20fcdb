import { realClock } from '../../../../local/host/clock/clock.ts'
import { startSimulators } from '../../../../local/world/channels/start-simulators.ts'
import { ACCOUNTS } from './accounts.ts'

// Simulators in a process of their own, for the test that kills it. Their addresses go to standard output.
const [stateDir = '', notifyBase = ''] = process.argv.slice(2)
const simulators = await startSimulators({
  clock: realClock,
  stateDir,
  notifyBase: () => notifyBase,
  accounts: Object.values(ACCOUNTS),
})
process.stdout.write(`${JSON.stringify(simulators.urls)}\n`)
