import { median, round } from '../statistics.ts'
import { itemBytes } from './item-size.ts'
import type { Metered, MeteredWrite } from './meter-tables.ts'
import type { Change } from './record-payments.ts'
import type { Call } from './recording.ts'

/** Where the write units go: by kind of row, with its size. */
export function explainWrites(metered: ReadonlyMap<Call, Metered>, payments: number): (string | number)[][] {
  const byType = Map.groupBy(
    [...metered.values()].flatMap(({ writes }) => writes),
    ({ et, op }) => `${et} ${op}`,
  )
  const rows = [...byType].toSorted(([, a], [, b]) => units(b) - units(a))
  return [
    ['row and write', 'a payment', 'mean bytes', 'most bytes', 'table WRU', 'index WRU'],
    ...rows.map(([name, writes]) => [
      name,
      (writes.length / payments).toFixed(2),
      Math.round(total(writes, 'bytes') / writes.length),
      Math.max(...writes.map(({ bytes }) => bytes)),
      round(total(writes, 'tableUnits') / payments).toFixed(2),
      round(total(writes, 'indexUnits') / payments).toFixed(2),
    ]),
  ]
}

/** Bytes of a kept callback by channel: a row over 1 KB costs each of its writes twice. */
export function explainCallbacks(changes: readonly Change[]): (string | number)[][] {
  const rows = changes.flatMap(({ before, after }) =>
    before === undefined && after?.['et']?.S === 'CALLBACK' ? [after] : [],
  )
  const byChannel = Map.groupBy(rows, (row) => row['channel']?.S ?? '')
  return [
    ['kept callback of', 'median bytes', 'of it the text, packed', 'headers'],
    ...[...byChannel].map(([channel, group]) => [
      channel,
      median(group.map(itemBytes)),
      median(group.map(({ raw }) => (raw === undefined ? 0 : itemBytes({ raw })))),
      median(group.map(({ headers }) => (headers === undefined ? 0 : itemBytes({ headers })))),
    ]),
  ]
}

function total(writes: readonly MeteredWrite[], name: 'bytes' | 'tableUnits' | 'indexUnits'): number {
  return writes.reduce((sum, write) => sum + write[name], 0)
}

const units = (writes: readonly MeteredWrite[]): number => total(writes, 'tableUnits') + total(writes, 'indexUnits')
