import type { Action } from './act.ts'
import { MINUTE_MS } from './plan.ts'

/** Out for this long: longer than a breaker's rest, shorter than any ladder. */
const OUTAGE_MS = 40 * MINUTE_MS

/** The bus goes away for a while, one channel's API goes down for forty minutes, and later the merchant's endpoint for half an hour. */
export const outages: readonly Action[] = [
  { atMs: 20 * MINUTE_MS, run: async ({ app }) => app.stack.eventBridge.setMode('refusing') },
  { atMs: 35 * MINUTE_MS, run: async ({ app }) => app.stack.eventBridge.setMode('ok') },
  {
    atMs: 40 * MINUTE_MS,
    run: async ({ app }) => {
      await fetch(`${app.simulators.urls['alipay']}/control/outage`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ mode: 'down', forMs: OUTAGE_MS }),
      })
    },
  },
  { atMs: 90 * MINUTE_MS, run: async ({ app }) => app.merchant.setMode({ mode: 'down' }) },
  { atMs: 120 * MINUTE_MS, run: async ({ app }) => app.merchant.setMode({ mode: 'flaky', p: 0.2 }) },
]
