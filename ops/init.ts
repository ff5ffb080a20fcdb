import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface, type Interface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { CONFIG_FILE } from '../infra/read-config.ts'
import { type Answers, askedOf, type Kind, kinds, writeConfig } from './write-config.ts'

/** Writes the settings of a stage from the sample: by flags, and by asking for what no flag gives when somebody sits there. */
const ROOT = resolve(import.meta.dirname, '..')
const SAMPLE = resolve(ROOT, 'examples/backstop.config.ts')

const { values } = parseArgs({
  options: {
    stage: { type: 'string' },
    'alarm-email': { type: 'string' },
    'delivery-url': { type: 'string' },
    // Kinds, separated by commas.
    channels: { type: 'string' },
    // kind.name=value, such as alipay.appId=2021…; any number of times.
    set: { type: 'string', multiple: true, default: [] },
    out: { type: 'string', default: CONFIG_FILE },
  },
})

const path = resolve(ROOT, values.out)
if (existsSync(path)) {
  console.error(`${values.out} is there already; remove it, or name another file with --out.`)
  process.exitCode = 1
} else {
  const terminal = process.stdin.isTTY ? createInterface({ input: process.stdin, output: process.stdout }) : undefined
  writeFileSync(path, writeConfig(readFileSync(SAMPLE, 'utf8'), await answersOf(terminal)), { flag: 'wx' })
  terminal?.close()
  console.log(`${values.out} is written. Look it through, then: npm run synth`)
}

async function answersOf(terminal: Interface | undefined): Promise<Answers> {
  const ask = async (given: string | undefined, question: string, usual: string): Promise<string> => {
    if (given !== undefined) return given
    const answer = await terminal?.question(`${question} [${usual}] `)
    return answer === undefined || answer === '' ? usual : answer
  }
  const stage = await ask(values.stage, 'Stage', 'prod')
  const alarmEmail = await ask(values['alarm-email'], 'Mail address for alarms', 'payments@example.com')
  const deliveryUrl = await ask(
    values['delivery-url'],
    'Address that takes deliveries',
    'https://shop.example.com/backstop/deliveries',
  )
  const channels = kindsIn(await ask(values.channels, `Channels, of ${kinds.join(', ')}`, kinds.join(',')))
  const numbers = Object.fromEntries(values.set.map(pairOf))
  for (const name of channels.flatMap((kind) => askedOf[kind].map((of) => `${kind}.${of}`))) {
    const answer = numbers[name] ?? (await terminal?.question(`${name}: `))
    if (answer !== undefined && answer !== '') numbers[name] = answer
  }
  return { stage, alarmEmail, deliveryUrl, channels, numbers }
}

function kindsIn(text: string): readonly Kind[] {
  return text.split(',').map((word) => {
    const kind = kinds.find((one) => one === word.trim())
    if (kind === undefined) throw new RangeError(`There is no channel "${word}"; there are ${kinds.join(', ')}.`)
    return kind
  })
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new RangeError(`--set takes kind.name=value, such as alipay.appId=2021…; "${text}" is none.`)
  return [text.slice(0, at), text.slice(at + 1)]
}
