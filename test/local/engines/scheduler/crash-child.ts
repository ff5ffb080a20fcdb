// Run by crash.test.ts in a process of its own and killed: acknowledges in a file what is safe, and what was delivered.
import { openSync, writeSync } from 'node:fs'
import { openScheduler } from '../../../../local/engines/scheduler/open-scheduler.ts'
import { realClock } from '../../../../local/host/clock/clock.ts'
import { aSchedule } from './start-scheduler.ts'

const [path = '', acknowledgementsPath = '', lines = ''] = process.argv.slice(2)
const acknowledgements = openSync(acknowledgementsPath, 'a')
let written = 0

/** On disk when it returns, unlike standard output, whose buffer dies with the process. */
function acknowledge(line: string): void {
  writeSync(acknowledgements, `${line}\n`)
  written++
  if (written === Number(lines)) process.stdout.write('kill me')
}

const engine = openScheduler({
  path,
  clock: realClock,
  deliver: async (_target, { name }) => {
    acknowledge(`delivered ${name}`)
  },
})

async function createForever(lane: number): Promise<never> {
  for (let i = 0; ; i++) {
    const name = `${lane}-${i}`
    // Every second one is due at once, the others in an hour.
    const change = i % 2 === 0 ? { ScheduleExpression: 'at(2020-01-01T00:00:00)' } : {}
    const definition = { ...aSchedule(realClock), ActionAfterCompletion: 'DELETE', ...change }
    await engine.putSchedule('default', name, definition)
    acknowledge(`created ${name}`)
  }
}

await Promise.all([0, 1, 2, 3].map(createForever))
