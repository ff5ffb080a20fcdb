import { NOTICES_GATE } from '../../modules/core/notice.ts'
import { type GateStatus, openGate } from '../../modules/gate/open-gate.ts'
import { localDynamodb } from '../host/local-client.ts'
import type { LocalApp } from './app.ts'

/** Real time between two looks at the gates. */
const LOOK_MS = 2_000

/**
 * One line per lane at the start (PASSING lets calls through, STOPPED holds them back), and one whenever a gate opens, closes or
 * changes its rate by a fifth.
 * @returns stops looking
 */
export function printGates({ stack, simulators }: LocalApp, print: (line: string) => void): () => void {
  const gate = openGate(stack.resolve('Gate/Table'), {
    client: localDynamodb(stack.dynamodbEndpoint),
    nowMs: () => stack.clock.now(),
  })
  const lanes = [...Object.keys(simulators.urls), 'merchant', NOTICES_GATE]
  const known = new Map<string, GateStatus>()
  const look = async (): Promise<void> => {
    for (const lane of lanes) {
      const status = await gate.read(lane)
      const before = known.get(lane)
      if (before !== undefined && !isNews(before, status)) continue
      known.set(lane, status)
      print(lineOf(lane, status))
    }
  }
  const timer = setInterval(() => void look().catch((error: unknown) => print(`gates: ${String(error)}`)), LOOK_MS)
  void look().catch((error: unknown) => print(`gates: ${String(error)}`))
  return () => clearInterval(timer)
}

function isNews(before: GateStatus, now: GateStatus): boolean {
  return before.state !== now.state || Math.abs(now.ratePerS - before.ratePerS) > before.ratePerS / 5
}

function lineOf(lane: string, { state, ratePerS, openUntil, reason }: GateStatus): string {
  const until = openUntil === undefined ? '' : ` until ${openUntil.slice(11, 19)}`
  return `gate ${lane.padEnd(10)} ${state}${until}, ${ratePerS.toFixed(1)} calls/s${reason === undefined ? '' : ` (${reason})`}`
}
