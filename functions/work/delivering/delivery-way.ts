import type { OutcomeKind } from '../../../modules/core/outcome.ts'
import { DEFAULT_INTERFACES, type DeliveryInterface } from '../../../modules/core/stock.ts'
import type { LineRow, Row, TaskRow } from '../../../modules/ledger/table/rows.ts'
import type { TaskView } from '../task-handler.ts'

/** The number of the line that a DELIVER task is about. */
export function lineNoOf(task: TaskRow): number {
  const line = task.requestSnapshot?.['line']
  return typeof line === 'number' ? line : Number(task.bizNo.split('/')[1])
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

/**
 * Whether an earlier attempt may have reached its receiver: one without an end counts as sent, unless it went to our own pool of
 * codes, which is bound in the commit alone.
 */
export function mayHaveArrived({ task, rows }: Pick<TaskView, 'task' | 'rows'>): boolean {
  if (task.attempts > MAX_ATTEMPTS_READ) return true
  return rows.some((row) => row.et === 'ATTEMPT' && row.target !== 'card-code' && !NEVER_ARRIVED.has(row.outcome ?? ''))
}

const NEVER_ARRIVED: ReadonlySet<string> = new Set<OutcomeKind>(['transient', 'rejected', 'misconfigured'])
