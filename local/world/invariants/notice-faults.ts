import type { OrderRow, Row, TaskRow } from '../../../modules/ledger/table/rows.ts'

/** A notice that the merchant took, by its webhook-id. */
export interface TakenNotice {
  readonly id: string
  readonly orderNo?: string
  readonly sequence?: number
}

/**
 * Whether the merchant can rely on what he is told: each order's notices are numbered from 1 without a gap, none is told under two
 * ids, and what counts as taken he has.
 * @returns one sentence per breach; none when all hold
 */
export function noticeFaults(rows: readonly Row[], taken: readonly TakenNotice[]): readonly string[] {
  const orders = rows.filter((row): row is OrderRow => row.et === 'ORDER')
  const notices = rows.filter((row): row is TaskRow => row.et === 'TASK' && row.bizType === 'NOTIFY')
  const takenIds = new Set(taken.map(({ id }) => id))
  return [
    ...orders.flatMap((order) =>
      numbersAreDense(
        order,
        notices.filter(({ pk }) => pk === order.pk),
      ),
    ),
    ...notices
      .filter(({ status, idempotencyKey }) => status === 'SUCCESS' && !takenIds.has(idempotencyKey))
      .map(({ bizNo }) => `Notice ${bizNo} counts as taken, and the merchant has it not.`),
  ]
}

function numbersAreDense({ orderNo, notices: told = 0 }: OrderRow, tasks: readonly TaskRow[]): readonly string[] {
  const idsOf = Map.groupBy(tasks, ({ requestSnapshot }) => Number(requestSnapshot?.['sequence'] ?? 0))
  // Money that came before its order has no number.
  const numbers = [...idsOf.keys()].filter((number) => number > 0).toSorted((a, b) => a - b)
  const isDense = numbers.length === told && numbers.every((number, index) => number === index + 1)
  const doubled = [...idsOf].filter(
    ([number, own]) => number > 0 && new Set(own.map(({ idempotencyKey }) => idempotencyKey)).size > 1,
  )
  return [
    ...(isDense ? [] : [`Order ${orderNo} has told ${told} notices, numbered ${numbers.join(', ')}.`]),
    ...doubled.map(([number]) => `Notice ${number} of ${orderNo} has two ids.`),
  ]
}
