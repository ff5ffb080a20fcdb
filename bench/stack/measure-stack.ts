import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LocalApp, startApp } from '../../local/world/app.ts'
import type { Figure, Part } from '../part.ts'
import { openShop, runWithCallers, type Shop } from '../shop.ts'
import { quantile, round } from '../statistics.ts'
import { layOut } from '../table.ts'

const CALLERS = [1, 16]
/** Orders are made beforehand by this many at a time. */
const ORDERING_CALLERS = 8
const WARM_UP = 16

interface Load {
  readonly acksPerS: number
  readonly settledPerS: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Of this process with its workers, from the callbacks to all that follows; the database engine is a process of its own. */
  readonly cpuMsPerPayment: number
}

/** Callbacks against the local stack, from a load generator in the same process: floors, not the speed of AWS. */
export const stackPart: Part = {
  title: 'Local stack: callbacks to deliveries',
  measure: async ({ quick, print }) => {
    const stateDir = mkdtempSync(join(tmpdir(), 'backstop-bench-'))
    const watch = watchBookings()
    try {
      const app = await startApp({ stateDir, onLog: ({ line }) => watch.look(line) })
      try {
        await app.stack.warm()
        const shop = await openShop(app, stateDir)
        await load(app, shop, watch, { name: 'W', count: WARM_UP, callers: 4 })
        const rows: (string | number)[][] = [
          ['callers', 'payments', 'acks/s', 'settled/s', 'p50 ms', 'p99 ms', 'CPU ms/payment'],
        ]
        const figures: Figure[] = []
        for (const callers of CALLERS) {
          const count = quick ? 16 : 200
          const { acksPerS, settledPerS, p50Ms, p99Ms, cpuMsPerPayment } = await load(app, shop, watch, {
            name: `C${callers}X`,
            count,
            callers,
          })
          rows.push([callers, count, acksPerS, settledPerS, p50Ms, p99Ms, cpuMsPerPayment])
          figures.push({ name: `acks, ${callers} callers`, value: acksPerS, unit: '1/s' })
          figures.push({ name: `settled, ${callers} callers`, value: settledPerS, unit: '1/s' })
          figures.push({ name: `ack p50, ${callers} callers`, value: p50Ms, unit: 'ms' })
          figures.push({ name: `ack p99, ${callers} callers`, value: p99Ms, unit: 'ms' })
          figures.push({ name: `CPU, ${callers} callers`, value: cpuMsPerPayment, unit: 'ms/payment' })
        }
        for (const line of layOut(rows)) print(line)
        return { figures }
      } finally {
        await app.stop()
      }
    } finally {
      rmSync(stateDir, { recursive: true, force: true })
    }
  },
}

type Watch = ReturnType<typeof watchBookings>

/** Counts what settle says that it applied, and when it said it last. */
function watchBookings() {
  let count = 0
  let lastAt = 0
  return {
    look: (line: string) => {
      if (!line.includes('"result":"applied"')) return
      count += 1
      lastAt = performance.now()
    },
    count: () => count,
    lastAt: () => lastAt,
  }
}

async function load(
  { stack }: LocalApp,
  shop: Shop,
  watch: Watch,
  { name, count, callers }: { readonly name: string; readonly count: number; readonly callers: number },
): Promise<Load> {
  const orderNoOf = (index: number) => `SO${name}${String(index).padStart(6, '0')}`
  const channelOf = (index: number) => shop.channels[index % shop.channels.length] ?? ''
  await runWithCallers(count, ORDERING_CALLERS, (index) => shop.order(orderNoOf(index), channelOf(index)))
  await stack.idle()

  const bookedBefore = watch.count()
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  const times: number[] = []
  await runWithCallers(count, callers, async (index) => {
    const sentAt = performance.now()
    await shop.pay(orderNoOf(index), channelOf(index), numberOf(name, index))
    times.push(performance.now() - sentAt)
  })
  const ackedMs = performance.now() - startedAt
  await stack.idle()
  const cpu = process.cpuUsage(cpuBefore)
  const settled = watch.count() - bookedBefore
  if (settled !== count) throw new Error(`Of ${count} payments ${settled} were settled.`)
  return {
    acksPerS: round((count / ackedMs) * 1000, 1),
    settledPerS: round((count / (watch.lastAt() - startedAt)) * 1000, 1),
    p50Ms: round(quantile(times, 0.5)),
    p99Ms: round(quantile(times, 0.99)),
    cpuMsPerPayment: round((cpu.user + cpu.system) / 1000 / count, 1),
  }
}

/** Numbers of the channel's transactions must not come twice over the loads. */
function numberOf(name: string, index: number): number {
  return Buffer.from(name).readUIntBE(0, name.length) * 1000 + index
}
