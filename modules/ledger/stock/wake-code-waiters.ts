import type { Sku } from '../../core/ids.ts'
import type { Instant } from '../../core/instant.ts'
import { listTasks } from '../read/list-tasks.ts'
import type { Ledger } from '../table/client.ts'
import { commit } from '../table/commit.ts'
import type { TaskRow } from '../table/rows.ts'
import { wakeTask } from '../task/plan-task.ts'
import { requestOf } from '../task/snapshots.ts'

/** The code of a delivery that waits for codes of its sku. */
export const CODE_POOL_EMPTY = 'CODE_POOL_EMPTY'

/** Pages of waiting deliveries that are looked through; what stands behind them climbs its ladder. */
const MAX_PAGES = 20
const PAGE = 100

/**
 * Has the deliveries that wait for codes of a sku look again now, the oldest first, one for each code at most. One that is taken
 * meanwhile is left alone, and one that finds too few goes on on its ladder.
 * @param codes how many were taken in
 * @returns how many were woken
 * @throws CorruptRowError, errors of the SDK
 * Source: docs/design/flows.md, Delivery
 */
export async function wakeCodeWaiters(ledger: Ledger, sku: Sku, codes: number, now: () => Instant): Promise<number> {
  let woken = 0
  let after: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const found = await listTasks(ledger, { status: 'RETRY', lanes: ['merchant'], after, limit: PAGE })
    for (const task of found.tasks.filter((one) => waitsFor(one, sku))) {
      if (woken >= codes) return woken
      const at = now()
      const { writes } = wakeTask(task, 'CODES_TAKEN_IN', at)
      if (writes.length > 0 && (await commit(ledger, writes, at)).kind === 'done') woken += 1
    }
    if (found.next === undefined) return woken
    after = found.next
  }
  return woken
}

function waitsFor(task: TaskRow, sku: Sku): boolean {
  if (task.bizType !== 'DELIVER' || task.lastErrorCode !== CODE_POOL_EMPTY) return false
  return requestOf('DELIVER', task).sku === sku
}
