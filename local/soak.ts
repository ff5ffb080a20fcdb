import { parseArgs } from 'node:util'
import { isExpected } from './host/known-errors.ts'
import { runDemo } from './world/demo/run-demo.ts'

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '200' },
    orders: { type: 'string', default: '12' },
    /** Seeds that share a stack, and so get in each other's way. */
    together: { type: 'string', default: '10' },
    /** Stacks that run side by side. */
    jobs: { type: 'string', default: '2' },
  },
})

const from = Number(values.from)
const last = from + Number(values.seeds) - 1
const orders = Number(values.orders)
const together = Number(values.together)
let next = from
let green = 0
let broken = false

try {
  await Promise.all(Array.from({ length: Number(values.jobs) }, runGroups))
  console.log(`\n${green} seeds green, ${from} to ${last}, ${orders} orders each.`)
} catch (error) {
  if (!isExpected(error)) throw error
  console.error(error.message)
  process.exitCode = 1
}

/** Takes one group of seeds after the other until all are done or one is broken. */
async function runGroups(): Promise<void> {
  while (next <= last && !broken) {
    const first = next
    const seeds = Array.from({ length: Math.min(together, last - first + 1) }, (_, index) => first + index)
    next += seeds.length
    const { breaches, tookMs } = await runDemo({ seeds, orders }, () => {})
    const name = `seeds ${first} to ${first + seeds.length - 1}`
    if (breaches.length === 0) {
      green += seeds.length
      console.log(`${name}: green (${(tookMs / 1000).toFixed(1)} s)`)
      continue
    }
    broken = true
    process.exitCode = 1
    for (const breach of breaches) console.error(`${name}: BROKEN: ${breach}`)
    console.error(`Run them again with: npm run soak -- --from ${first} --seeds ${seeds.length} --orders ${orders}`)
  }
}
