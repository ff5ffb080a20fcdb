import type { TaskNo } from '../core/ids.ts'
import type { Instant } from '../core/instant.ts'

/** Names a task's row to the worker; decides nothing. The only type that another folder takes from here. Source: docs/design/messages.md */
export interface TaskMessage {
  readonly v: 1
  readonly pk: string
  readonly taskNo: TaskNo
  readonly wake: Instant
  readonly lane: string
  readonly cause: 'stream' | 'schedule' | 'redrive'
}
