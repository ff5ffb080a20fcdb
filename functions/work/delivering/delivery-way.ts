import { parseOrderPart } from '../../../modules/core/biz-no.ts'
import { DEFAULT_INTERFACES, type DeliveryInterface } from '../../../modules/core/stock.ts'
import type { LineRow, Row, TaskRow } from '../../../modules/ledger/table/rows.ts'
import { mayHaveArrivedBy } from '../../../modules/ledger/task/may-have-arrived.ts'
import { requestOf } from '../../../modules/ledger/task/snapshots.ts'
import type { TaskView } from '../task-handler.ts'

/** The number of the line that a DELIVER task is about. */
export function lineNoOf(task: TaskRow): number {
  const line = requestOf('DELIVER', task).line ?? parseOrderPart(task.bizNo)?.line
  if (line === undefined) throw new TypeError(`The delivery ${task.bizNo} names no line.`)
  return line
}

export function lineIn(rows: readonly Row[]): LineRow | undefined {
  return rows.find((row) => row.et === 'LINE')
}

/** The way of delivery that a task is at, and the place of the next one, if there is one. */
export function wayOf({ task, rows }: Pick<TaskView, 'task' | 'rows'>): {
  readonly way: DeliveryInterface
  readonly next?: number
} {
  const ways = lineIn(rows)?.interfaces ?? DEFAULT_INTERFACES.goods
  const index = task.interfaceIndex ?? 0
  return { way: ways[index] ?? 'webhook', ...(index + 1 < ways.length && { next: index + 1 }) }
}

/** Attempts that are read back before a way is given up; a task with more is not known whole. */
export const MAX_ATTEMPTS_READ = 100

/** Whether an earlier attempt may have reached its receiver; more than can be read back count as one that did. */
export function mayHaveArrived({ task, rows }: Pick<TaskView, 'task' | 'rows'>): boolean {
  if (task.attempts > MAX_ATTEMPTS_READ) return true
  return rows.some((row) => row.et === 'ATTEMPT' && mayHaveArrivedBy(row))
}
