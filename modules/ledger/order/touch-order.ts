import { revIs } from '../table/conditions.ts'
import type { Write } from '../table/make-write.ts'
import type { OrderRow } from '../table/rows.ts'
import { update } from '../table/writes.ts'

/**
 * Raises an order's revision and changes nothing: whoever is about to close it looks again, and finds what says that money may be
 * there. Source: docs/design/rules.md
 */
export function touchOrder(order: OrderRow): Write {
  return update(order, {}, revIs(order.rev))
}
