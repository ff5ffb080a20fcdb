import type { OrderNo } from '../../modules/core/ids.ts'
import { plusMs } from '../../modules/core/instant.ts'
import { updateOne } from '../../modules/ledger/table/commit.ts'
import { parkTask } from '../../modules/ledger/task/park-task.ts'
import { fileOf, tasksOf } from './ledger-builders.ts'
import type { World } from './world.ts'

const BEYOND_HEALING_MS = 8 * 3_600_000

/** Puts off the questions about an order's payAttempts, so that nothing but the task under test can find a payment. */
export async function parkQuestions(world: World, orderNo: OrderNo): Promise<void> {
  const now = world.clock.now()
  for (const task of tasksOf(await fileOf(world, orderNo), 'QUERY_PAYMENT')) {
    const parked = await updateOne(
      world.ledger,
      parkTask(task, { until: plusMs(now, BEYOND_HEALING_MS), reason: 'TEST' }, now),
      now,
    )
    if (parked.kind !== 'done') throw new Error(`A question could not be put off: ${parked.kind}`)
  }
}
