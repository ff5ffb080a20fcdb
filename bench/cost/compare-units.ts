import { round } from '../statistics.ts'
import { layOut } from '../table.ts'
import type { Metered } from './meter-tables.ts'
import type { Call, Invocation } from './recording.ts'

/** The engine's own count of units beside the rules', by command. */
export function compareUnits(
  invocations: readonly Invocation[],
  metered: ReadonlyMap<Call, Metered>,
  payments: number,
) {
  const calls = invocations.flatMap((invocation) => invocation.calls).filter(({ use }) => use !== undefined)
  const byCommand = Map.groupBy(calls, ({ command }) => command)
  const details = [...byCommand].map(([command, group]) => ({
    command,
    calls: round(group.length / payments),
    tableByRule: perPayment(group, (call) => tableUnits(metered.get(call))),
    tableByEngine: perPayment(group, ({ use }) => use?.engine.tableUnits ?? 0),
    indexByRule: perPayment(group, (call) => indexUnits(metered.get(call))),
    indexByEngine: perPayment(group, ({ use }) => use?.engine.indexUnits ?? 0),
  }))
  function perPayment(group: readonly Call[], of: (call: Call) => number): number {
    return round(group.reduce((sum, call) => sum + of(call), 0) / payments)
  }
  const rows = details.map((row) =>
    Object.values(row).map((cell) => (typeof cell === 'number' ? cell.toFixed(2) : cell)),
  )
  const head = ['units a payment', 'calls', 'table by rule', 'by the engine', 'index by rule', 'by the engine']
  return { lines: layOut([head, ...rows]), details }
}

function tableUnits(metered: Metered | undefined): number {
  return (metered?.readUnits ?? 0) + (metered?.writes ?? []).reduce((sum, write) => sum + write.tableUnits, 0)
}

function indexUnits(metered: Metered | undefined): number {
  return (metered?.writes ?? []).reduce((sum, write) => sum + write.indexUnits, 0)
}
