import { stepOf } from '../../core/machine.ts'
import { lineMachine } from '../../core/stock-line.ts'
import { revIs } from '../table/conditions.ts'
import type { LineRow } from '../table/rows.ts'
import type { Write } from '../table/writes.ts'
import { moveStock } from './move-stock.ts'

/** What a decision to take a line's goods back comes to. */
export type Restock =
  | { readonly kind: 'writes'; readonly writes: readonly Write[] }
  /** `NOT_SOLD`: never paid for, or given back already. `CODES_SHOWN`: somebody knows the codes; nobody else may buy them. */
  | { readonly kind: 'refused'; readonly reason: 'NOT_SOLD' | 'CODES_SHOWN' }

/**
 * A sold line's goods back into the buckets that they came from, once: a second decision finds the line RESTOCKED.
 * Source: docs/design/states.md, Line
 */
export function restockLine(line: LineRow): Restock {
  const state = stepOf(lineMachine, line.state, 'restock')
  if (state === undefined) return { kind: 'refused', reason: 'NOT_SOLD' }
  if (line.deliveredBy === 'card-code') return { kind: 'refused', reason: 'CODES_SHOWN' }
  return {
    kind: 'writes',
    writes: [
      { op: 'update', key: { pk: line.pk, sk: line.sk }, set: { state }, when: revIs(line.rev) },
      ...moveStock('restock', [line]),
    ],
  }
}
