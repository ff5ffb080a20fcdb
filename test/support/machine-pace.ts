import { createHash } from 'node:crypto'
import { availableParallelism, loadavg } from 'node:os'

/** One round takes this long on an idle core of the machine on which the tests' limits were found, ms. */
const ROUND_MS = 4
const ROUNDS = 25
/** A limit is there to end what hangs, so it does not grow without end. */
const MAX_SLOWNESS = 20

/**
 * How many times longer than on an idle machine of the usual speed a test may take here and now: by the time of some rounds of
 * parsing and hashing, which is what plays do, and by how many others already wait for the cores.
 * @returns 1 or more
 */
export function measureSlowness(): number {
  const startedAt = performance.now()
  let text = 'seed'
  for (let round = 0; round < ROUNDS; round++) text = playRound(text)
  const pace = (performance.now() - startedAt) / (ROUNDS * ROUND_MS)
  return slownessOf(pace, loadavg()[0] ?? 0, availableParallelism())
}

/** @param pace time of a round against the usual one. @param load processes that want a core. */
export function slownessOf(pace: number, load: number, cores: number): number {
  return Math.min(MAX_SLOWNESS, Math.max(1, pace) * Math.max(1, load / cores))
}

function playRound(seed: string): string {
  let text = seed
  for (let n = 0; n < 2_000; n++) {
    const read: { text: string; list: readonly unknown[] } = JSON.parse(JSON.stringify({ text, n, list: [1, 2, text] }))
    text = createHash('sha256').update(`${read.text}${read.list.length}`).digest('hex')
  }
  return text
}
