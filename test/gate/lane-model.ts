import type { GateClause, GateNumber, GateRow, GateWrite } from '../../modules/core/gate/row.ts'
import type { Written } from '../../modules/gate/gate-table.ts'
import type { LaneRow } from '../../modules/gate/lane-gate.ts'

/** A lane's row in memory. `open-gate.test.ts` holds it against the real engine. */
export class LaneModel implements LaneRow {
  row: GateRow | undefined
  reads = 0
  writes = 0
  lost = 0

  read = async (): Promise<GateRow | undefined> => {
    this.reads += 1
    return this.row
  }

  write = async (write: GateWrite): Promise<Written> => {
    this.writes += 1
    if (!write.when.every((clause) => holds(this.row, clause))) {
      this.lost += 1
      return { kind: 'lost', row: this.row }
    }
    this.row = applyWrite(this.row, write)
    return { kind: 'done', row: this.row }
  }
}

function holds(row: GateRow | undefined, clause: GateClause): boolean {
  if (clause.is === 'absent') return row === undefined
  if (row === undefined) return false
  if (clause.field === 'state') return row.state === clause.value
  const found = row[clause.field]
  if (clause.is === '=') return found === clause.value
  if (clause.is === '<') return found < clause.value
  return clause.is === '<=' ? found <= clause.value : found >= clause.value
}

/** @throws Error when a write would leave a row without all its fields */
function applyWrite(row: GateRow | undefined, { set, add }: GateWrite): GateRow {
  const base = row ?? complete(set)
  const sums: Partial<Record<GateNumber, number>> = {}
  for (const field of numberFields) {
    const amount = add[field]
    if (amount !== undefined) sums[field] = Math.round((base[field] + amount) * 1000) / 1000
  }
  return { ...base, ...set, ...sums }
}

const numberFields = ['tat', 'liveTat', 'calls', 'failures', 'probes', 'epoch'] as const

function complete(set: Partial<GateRow>): GateRow {
  const { tat, liveTat, intervalMs, state, epoch, windowAt, calls, failures, openUntil, probes, reason } = set
  if (
    tat === undefined ||
    liveTat === undefined ||
    intervalMs === undefined ||
    state === undefined ||
    epoch === undefined ||
    windowAt === undefined ||
    calls === undefined ||
    failures === undefined ||
    openUntil === undefined ||
    probes === undefined ||
    reason === undefined
  ) {
    throw new Error('The first write of a lane must make a complete row.')
  }
  return { tat, liveTat, intervalMs, state, epoch, windowAt, calls, failures, openUntil, probes, reason }
}
