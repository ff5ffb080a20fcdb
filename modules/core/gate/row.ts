import type { GateConfig } from './config.ts'

/** STOPPED and PAUSED let nothing go before `openUntil`; from then on the gate is PROBING: probes go, the rest waits. */
export const gateStates = ['PASSING', 'STOPPED', 'PAUSED'] as const
export type GateState = (typeof gateStates)[number]

/** One lane's row. Times are ms since the epoch and not instants: the table adds to them. */
export interface GateRow {
  /** The next free slot of all traffic ("theoretical arrival time" of the GCRA). */
  readonly tat: number
  /** The next free slot of the reserve that only live traffic may use. */
  readonly liveTat: number
  /** Between two calls of the whole lane: 1000 / rate. */
  readonly intervalMs: number
  readonly state: GateState
  /**
   * Rises whenever old knowledge becomes dangerous: slower, opened, paused, resumed. A reservation or a view of an older epoch
   * is void. It does not rise when the lane gets faster or closes its breaker: whoever does not know yet is only too careful.
   * 0: the row does not exist.
   */
  readonly epoch: number
  /** Start of the breaker's window. */
  readonly windowAt: number
  readonly calls: number
  readonly failures: number
  readonly openUntil: number
  /** Probes given out since the gate closed the lane, or since the last round of probes began. */
  readonly probes: number
  /** Why a lane is paused, for people. */
  readonly reason: string
}

const numbers = [
  'tat',
  'liveTat',
  'intervalMs',
  'epoch',
  'windowAt',
  'calls',
  'failures',
  'openUntil',
  'probes',
] as const satisfies readonly (keyof GateRow)[]
export type GateNumber = (typeof numbers)[number]

/** What must hold of the row at the moment of the write. */
export type GateClause =
  | { readonly field: 'epoch'; readonly is: 'absent' }
  | { readonly field: GateNumber; readonly is: '=' | '<' | '<=' | '>='; readonly value: number }
  | { readonly field: 'state'; readonly is: '='; readonly value: GateState }

/** One conditional update of one row. */
export interface GateWrite {
  readonly set: Partial<GateRow>
  readonly add: Partial<Record<GateNumber, number>>
  readonly when: readonly GateClause[]
}

/** What a lane looks like before its first call. */
export function newGateRow(config: GateConfig, nowMs: number): GateRow {
  return {
    tat: 0,
    liveTat: 0,
    intervalMs: 1000 / config.startPerS,
    state: 'PASSING',
    epoch: 0,
    windowAt: nowMs,
    calls: 0,
    failures: 0,
    openUntil: 0,
    probes: 0,
    reason: '',
  }
}

/**
 * A change that holds only in the epoch of `row`. A row that does not exist yet is made by it, complete.
 * @param change `epoch` is set by this function alone, to one more when `newEpoch`
 */
export function changeInEpoch(row: GateRow, change: Partial<GateWrite> & { readonly newEpoch?: boolean }): GateWrite {
  const { set = {}, add = {}, when = [], newEpoch = false } = change
  if (row.epoch > 0) {
    const epoch = newEpoch ? { epoch: row.epoch + 1 } : {}
    return { set: { ...set, ...epoch }, add, when: [{ field: 'epoch', is: '=', value: row.epoch }, ...when] }
  }
  const sums: Partial<Record<GateNumber, number>> = {}
  for (const field of numbers) {
    const amount = add[field]
    if (amount !== undefined) sums[field] = row[field] + amount
  }
  return { set: { ...row, ...sums, ...set, epoch: 1 }, add: {}, when: [{ field: 'epoch', is: 'absent' }] }
}
