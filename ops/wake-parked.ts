import { instantOf, msOf } from '../modules/core/instant.ts'
import { readRows } from '../modules/ledger/read/queries.ts'
import { dueShards, readDue } from '../modules/ledger/read/read-due.ts'
import { commit } from '../modules/ledger/table/commit.ts'
import type { TaskRow } from '../modules/ledger/table/rows.ts'
import { unparkTask } from '../modules/ledger/task/park-task.ts'
import type { OpsDeps } from './deps.ts'
import { END_OF_TIME } from './find-stuck.ts'

/**
 * Has the tasks that a lane's gate parked ask again now, at the rate of the gate; what is woken meanwhile by itself is left alone.
 * @returns how many were woken
 * @throws errors of the SDK, CorruptRowError
 */
export async function wakeParked(deps: OpsDeps, lane: string, ratePerS: number): Promise<number> {
  const startedMs = msOf(deps.now())
  let woken = 0
  for (const shard of dueShards) {
    for await (const { keys } of readDue(deps.ledger, shard, END_OF_TIME)) {
      const rows = await readRows(
        deps.ledger,
        keys.filter(({ sk }) => sk.startsWith('TASK#')),
      )
      for (const task of rows.filter((row) => row?.et === 'TASK').filter((row) => isParkedBy(row, lane))) {
        const at = instantOf(Math.max(startedMs + Math.round((woken * 1000) / ratePerS), msOf(deps.now())))
        if (task.nextExecuteAt <= at) continue
        if ((await commit(deps.ledger, [unparkTask(task, at)], deps.now())).kind === 'done') woken += 1
      }
    }
  }
  return woken
}

/** A gate leaves its word, and the slot that it reserved, in the row. */
function isParkedBy({ status, lastErrorCode, slotLane }: TaskRow, lane: string): boolean {
  return (
    (status === 'WAITING' || status === 'RETRY') && lastErrorCode?.startsWith('GATE_') === true && slotLane === lane
  )
}
