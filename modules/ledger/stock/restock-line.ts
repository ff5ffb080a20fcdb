import { stepOf } from '../../core/machine.ts'
import { lineMachine } from '../../core/stock-line.ts'
import { moveLine } from '../order/move-line.ts'
import type { Write } from '../table/make-write.ts'
import type { LineRow } from '../table/rows.ts'
import { moveStock } from './move-stock.ts'

/** What a decision to take a line's goods back comes to. */
export type Restock =
  | { readonly kind: 'writes'; readonly writes: readonly Write[] }
  /** `NOT_SOLD`: never paid for, or given back already. `CODES_SHOWN`: somebody knows the codes; nobody else may buy them. */
  | { readonly kind: 'refused'; readonly reason: 'NOT_SOLD' | 'CODES_SHOWN' }

/**
 * A sold line's goods back into the buckets that they came from, once: a second decision finds the line RESTOCKED.
 */
export function restockLine(line: LineRow): Restock {
  if (stepOf(lineMachine, line.state, 'restock') === undefined) return { kind: 'refused', reason: 'NOT_SOLD' }
  if (line.deliveredBy === 'card-code') return { kind: 'refused', reason: 'CODES_SHOWN' }
  return { kind: 'writes', writes: [moveLine(line, 'restock'), ...moveStock('restock', [line])] }
}
