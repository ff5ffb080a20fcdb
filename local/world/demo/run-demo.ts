import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { Row } from '../../../modules/ledger/table/rows.ts'
import { type LocalApp, startApp } from '../app.ts'
import { busFaults } from '../invariants/bus-faults.ts'
import { type ChannelPayment, moneyFaults } from '../invariants/money-faults.ts'
import { noticeFaults } from '../invariants/notice-faults.ts'
import { readLedger } from '../invariants/read-ledger.ts'
import { stockFaults } from '../invariants/stock-faults.ts'
import { startAckMeter } from './ack-meter.ts'
import { actionsOf } from './act.ts'
import { type Driver, startDriver } from './driver.ts'
import { fillStock } from './fill-stock.ts'
import { outages } from './outages.ts'
import { type Accident, MINUTE_MS, planOrders, UNASKED } from './plan.ts'
import { reportTable } from './report.ts'

/** What a demonstration came to. */
export interface DemoResult {
  readonly table: string
  /** One sentence per broken invariant. */
  readonly breaches: readonly string[]
  readonly tookMs: number
}

/** Task types that wait for a later release: they are held, not lost. */
const HELD: ReadonlySet<string> = new Set(['REFUND', 'START_EXECUTION'])
const HOUR_MS = 60 * MINUTE_MS
/** Alipay's last send is 24 h 24 min after the payment; nothing is outstanding then. */
const HORIZON_HOURS = 27
/** The late watch looks once more within the hour after a close; a merchant that is well takes what waits for an hourly try. */
const AFTERMATH_HOURS = 3

/**
 * Runs seeded orders with accidents through all channels on a stack of its own, as fast as the clock leaps, and checks the money.
 * @param onProgress told the share of the plan that is done, and the simulated time passed in ms
 */
export async function runDemo(
  options: {
    /** Plans that run side by side on one stack; the first seed draws the network's faults, too. */
    readonly seeds: readonly number[]
    /** Orders of each seed. */
    readonly orders: number
    readonly only?: Accident
  },
  onProgress: (share: number, passedMs: number) => void,
): Promise<DemoResult> {
  const startedAt = performance.now()
  const { seeds, orders, only } = options
  const [seed = 1] = seeds
  const planned = orders * seeds.length
  const stateDir = mkdtempSync(join(tmpdir(), 'backstop-demo-'))
  const holder: { apiUrl: string } = { apiUrl: '' }
  const meter = await startAckMeter(() => holder.apiUrl)
  const app = await startApp({
    stateDir,
    seed,
    notifyBase: (apiUrl) => {
      holder.apiUrl = apiUrl
      return meter.url
    },
  })
  try {
    await setFaults(app, seed)
    const world = { app, token: await app.token() }
    await fillStock(world, planned)
    const driver = startDriver(app.clock, world, [
      ...seeds.flatMap((each) => planOrders(each, orders, only)).flatMap(actionsOf),
      ...outages,
    ])
    app.stack.attach(driver.source)
    const beganAt = app.clock.now()
    const ticker = setInterval(() => onProgress(driver.done() / driver.total, app.clock.now() - beganAt), 250)
    try {
      await leapUntilQuiet(app, driver)
    } finally {
      clearInterval(ticker)
      driver.stop()
    }
    if (driver.failure() !== undefined) throw driver.failure()
    const rows = await readLedger(app.stack)
    return {
      table: reportTable(rows, meter, planned),
      breaches: [
        ...moneyFaults(rows, await readChannels(app, rows), app.merchant.deliveries(), HELD),
        ...stockFaults(rows),
        ...noticeFaults(rows, app.merchant.notices()),
        ...busFaultsOf(app, rows),
      ],
      tookMs: performance.now() - startedAt,
    }
  } finally {
    await app.stop()
    meter.stop()
    rmSync(stateDir, { recursive: true, force: true })
  }
}

/** The bus keeps its newest events; of a run that sent more, nothing can be said. */
const BUS_KEEPS = 10_000

function busFaultsOf({ stack }: LocalApp, rows: readonly Row[]): readonly string[] {
  const told = stack.eventBridge.list({ limit: BUS_KEEPS })
  return told.length < BUS_KEEPS
    ? busFaults(
        rows,
        told.map(({ event }) => event.detail),
      )
    : []
}

/** Hour by hour, until the plan is done and no channel has anything left to send; then the merchant is well and the ladders end. */
async function leapUntilQuiet({ stack, simulators, merchant }: LocalApp, driver: Driver): Promise<void> {
  let hours = 0
  while (hours < HORIZON_HOURS && (driver.done() < driver.total || simulators.source.nextDueAt?.() !== undefined)) {
    await stack.leapBy(HOUR_MS)
    hours++
  }
  merchant.setMode({ mode: 'ok' })
  await stack.leapBy(AFTERMATH_HOURS * HOUR_MS)
}

/** The network's own troubles, beside the accidents of the plan. */
async function setFaults({ simulators, merchant }: LocalApp, seed: number): Promise<void> {
  const faults = { drop: 0.15, double: 0.05, reorder: 0.2, seed }
  for (const url of Object.values(simulators.urls)) {
    const body = JSON.stringify(faults)
    await fetch(`${url}/control/faults`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  }
  merchant.setMode({ mode: 'flaky', p: 0.2 })
}

const paymentsSchema = z.object({
  payments: z.array(
    z.object({
      outTradeNo: z.string(),
      channelTxnId: z.string().optional(),
      status: z.string(),
      paidAmount: z.number().optional(),
      paidCurrency: z.string().optional(),
      notices: z.array(z.object({ status: z.string() })),
    }),
  ),
})

async function readChannels({ simulators }: LocalApp, rows: readonly Row[]): Promise<readonly ChannelPayment[]> {
  // PayPal's notice is a hint: without its order nobody asks, and the money is on the bill alone.
  const ordered = new Set(rows.flatMap((row): string[] => (row.et === 'ORDER' ? [row.orderNo] : [])))
  const all = await Promise.all(
    Object.entries(simulators.urls).map(async ([channel, url]) => {
      const answer = paymentsSchema.parse(await (await fetch(`${url}/control/payments`)).json())
      return answer.payments.flatMap(({ status, channelTxnId, outTradeNo, paidAmount, paidCurrency, notices }) =>
        status === 'paid' && channelTxnId !== undefined && paidAmount !== undefined && paidCurrency !== undefined
          ? [
              {
                channel,
                channelTxnId,
                outTradeNo,
                amount: paidAmount,
                currency: paidCurrency,
                told: UNASKED.has(channel)
                  ? notices.some((notice) => notice.status === 'acked')
                  : channel !== 'paypal' || ordered.has(outTradeNo),
              },
            ]
          : [],
      )
    }),
  )
  return all.flat()
}
