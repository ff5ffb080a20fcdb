import type { Machine } from './machine.ts'

export const taskStatuses = ['WAITING', 'PROCESSING', 'RETRY', 'SUCCESS', 'MANUAL', 'CLOSED'] as const
export type TaskStatus = (typeof taskStatuses)[number]
export type TaskEvent =
  | 'claim'
  | 'succeed'
  | 'retry'
  /** FAILED → MANUAL in one write: the row keeps `failedAt`, nobody ever sees FAILED alone. */
  | 'fail'
  /** Only where a replay exists (NOTIFY): the ladder ended, the row is kept. ADR 0006. */
  | 'giveUp'
  | 'abandon'
  | 'endDone'
  | 'endMoot'
  | 'escalate'
  | 'reopen'

export const taskSources = ['CALLBACK', 'RECONCILIATION', 'MANUAL', 'INSPECTION', 'POLICY'] as const
export type TaskSource = (typeof taskSources)[number]

/** The life of a task. Source: docs/design/states.md, Task */
export const taskMachine: Machine<TaskStatus, TaskEvent> = {
  name: 'task',
  initial: ['WAITING', 'MANUAL'],
  final: ['SUCCESS', 'CLOSED'],
  edges: {
    WAITING: { claim: 'PROCESSING', endDone: 'SUCCESS', endMoot: 'CLOSED', escalate: 'MANUAL' },
    RETRY: { claim: 'PROCESSING', endDone: 'SUCCESS', endMoot: 'CLOSED', escalate: 'MANUAL' },
    PROCESSING: {
      succeed: 'SUCCESS',
      retry: 'RETRY',
      fail: 'MANUAL',
      escalate: 'MANUAL',
      giveUp: 'CLOSED',
      abandon: 'WAITING',
    },
    MANUAL: { reopen: 'WAITING', endDone: 'SUCCESS', endMoot: 'CLOSED' },
    SUCCESS: {},
    CLOSED: {},
  },
}

/** Whether nobody and nothing has to act any more. */
export function isEnded(status: TaskStatus): boolean {
  return status === 'SUCCESS' || status === 'CLOSED'
}
