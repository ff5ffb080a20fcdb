import { rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { RUNNING_FILE, type RunningStack } from '../ops/doctor/target.ts'
import { isExpected } from './host/known-errors.ts'
import { type LocalApp, startApp } from './world/app.ts'
import { firstScreen } from './world/first-screen.ts'
import { printChanges } from './world/print-changes.ts'
import { printGates } from './world/print-gates.ts'

const STATE_DIR = resolve(import.meta.dirname, '../.backstop')
/** Says where the stack runs, for `npm run doctor`. */
const RUNNING = resolve(STATE_DIR, RUNNING_FILE)
const DEFAULT_PORT = '8787'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: DEFAULT_PORT },
    reset: { type: 'boolean', default: false },
    leap: { type: 'boolean', default: false },
  },
})

try {
  await run()
} catch (error) {
  if (!isExpected(error)) throw error
  console.error(error.message)
  process.exit(1)
}

async function run(): Promise<void> {
  const state = resolve(STATE_DIR, 'state')
  const app = await startApp({
    stateDir: state,
    port: Number(values.port),
    leap: values.leap,
    reset: values.reset,
    onLog: ({ functionName, line }) => {
      if (line.includes('"level":"ERROR"') || !line.startsWith('{')) console.error(`${functionName}: ${line}`)
    },
  })
  const token = await app.token()
  writeFileSync(resolve(STATE_DIR, 'token'), token, { mode: 0o600 })
  const { gatewayUrl, dynamodbEndpoint, outputs } = app.stack
  const running: RunningStack = { gatewayUrl, dynamodbEndpoint, outputs: textsOf(outputs) }
  writeFileSync(RUNNING, JSON.stringify(running), { mode: 0o600 })
  console.log(firstScreen(app, token))
  const print = (line: string): void => console.log(line)
  printChanges(app, print)
  stopOnSignal(app, printGates(app, print))
}

function stopOnSignal(app: LocalApp, stopLooking: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stopLooking()
      rmSync(RUNNING, { force: true })
      app.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error)
          process.exit(1)
        },
      )
    })
  }
}

function textsOf(outputs: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, String(value)]))
}
