// Run by crash.test.ts in a process of its own and killed: acknowledges in a file what is safe.
import { openSync, writeSync } from 'node:fs'
import { openSqs } from '../../../../local/engines/sqs/open-sqs.ts'
import { realClock } from '../../../../local/host/clock/clock.ts'

const [path = '', acknowledgementsPath = '', lines = ''] = process.argv.slice(2)
const acknowledgements = openSync(acknowledgementsPath, 'a')
let written = 0

/** On disk when it returns, unlike standard output, whose buffer dies with the process. */
function acknowledge(line: string): void {
  writeSync(acknowledgements, `${line}\n`)
  written++
  if (written === Number(lines)) process.stdout.write('kill me')
}

const engine = openSqs({ path, clock: realClock, urlBase: () => 'http://127.0.0.1' })
await engine.createQueue('tasks', { VisibilityTimeout: 3600 })

async function sendForever(lane: number): Promise<never> {
  for (let i = 0; ; i++) {
    const body = `${lane}-${i}`
    await engine.send('tasks', { body })
    acknowledge(`sent ${body}`)
    if (i % 3 !== 0) continue
    const [message] = await engine.receive('tasks', { max: 1, waitMs: 0 })
    if (message === undefined || i % 2 === 0) continue
    acknowledge(`removing ${message.body}`)
    await engine.remove('tasks', [message.receiptHandle])
    acknowledge(`removed ${message.body}`)
  }
}

await Promise.all([0, 1, 2, 3].map(sendForever))
