import type { OrderNo } from '../../modules/core/ids.ts'
import type { TaskType } from '../../modules/core/task-policies.ts'
import type { TaskRow } from '../../modules/ledger/table/rows.ts'
import { fileOf, taskOf } from './ledger-builders.ts'
import type { World } from './world.ts'

/** Moves the clock to the time of an order's only task of a type and runs it. @returns the task afterwards */
export async function runWhenDue(world: World, orderNo: OrderNo, bizType: TaskType): Promise<TaskRow> {
  const task = taskOf(await fileOf(world, orderNo), bizType)
  world.clock.set(task.nextExecuteAt)
  await world.run(task)
  return taskOf(await fileOf(world, orderNo), bizType)
}
