import { revIs } from '../table/conditions.ts'
import type { Write } from '../table/make-write.ts'
import type { OrderRow } from '../table/rows.ts'
import type { SetOf } from '../table/write-types.ts'
import { check, update } from '../table/writes.ts'

/**
 * The order's own write where a decision rests on it and moves it nowhere: what changes, or that it still stands as it was read.
 */
export function setOrCheck(order: OrderRow, set: SetOf<'ORDER'>): Write {
  const when = revIs(order.rev)
  const isSame = set.openTries === order.openTries || set.openTries === undefined
  const { openTries: _, ...others } = set
  const changes = isSame ? others : set
  return Object.values(changes).every((value) => value === undefined)
    ? check(order, when)
    : update(order, { set: changes }, when)
}
