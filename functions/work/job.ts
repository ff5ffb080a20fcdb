import type { TaskPolicy } from '../../modules/core/task-policies.ts'
import type { TaskHandler, TaskView } from './task-handler.ts'

/** A task as it was looked at, with who carries it out and how. */
export interface Job {
  readonly handler: TaskHandler
  readonly policy: TaskPolicy
  readonly view: TaskView
}
