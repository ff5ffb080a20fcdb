import { parseArgs } from 'node:util'
import { runDemo } from './demo/run-demo.ts'
import { isExpected } from './known-errors.ts'

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '200' },
    orders: { type: 'string', default: '12' },
    /** Demonstrations that run side by side. */
    jobs: { type: 'string', default: '2' },
  },
})

const from = Number(values.from)
const last = from + Number(values.seeds) - 1
const orders = Number(values.orders)
let next = from
let green = 0
let broken = false

try {
  await Promise.all(Array.from({ length: Number(values.jobs) }, runSeeds))
  console.log(`\n${green} seeds green, ${from} to ${last}, ${orders} orders each.`)
} catch (error) {
  if (!isExpected(error)) throw error
  console.error(error.message)
  process.exitCode = 1
}

/** Takes one seed after the other until all are done or one is broken. */
async function runSeeds(): Promise<void> {
  while (next <= last && !broken) {
    const seed = next++
    const { breaches, tookMs } = await runDemo({ seed, orders }, () => {})
    if (breaches.length === 0) {
      green++
      console.log(`seed ${seed}: green (${(tookMs / 1000).toFixed(1)} s)`)
      continue
    }
    broken = true
    process.exitCode = 1
    for (const breach of breaches) console.error(`seed ${seed}: BROKEN: ${breach}`)
    console.error(`Run it again with: npm run demo -- --seed ${seed} --orders ${orders}`)
  }
}
