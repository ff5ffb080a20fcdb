import type { Instant } from '../../modules/core/instant.ts'
import type { Policies, TaskType } from '../../modules/core/task-policies.ts'
import type { Gate } from '../../modules/gate/open-gate.ts'
import type { Ledger } from '../../modules/ledger/table/client.ts'
import type { TaskHandler } from './task-handler.ts'

export interface WorkDeps {
  readonly ledger: Ledger
  readonly handlers: { readonly [Type in TaskType]?: TaskHandler }
  readonly policies: Policies
  readonly gate: Gate
  /** Waits for a slot of the gate, at most 2 s. */
  readonly sleep: (ms: number) => Promise<void>
  readonly now: () => Instant
  /** In [0, 1), for jitter. */
  readonly random: () => number
}

/** The ledger called a transaction wrong: a bug. The message comes again, then the lane's DLQ and its alarm. */
export class WorkBugError extends Error {
  override readonly name = 'WorkBugError'
  readonly code = 'WORK_BUG'
}

/** A task of a channel that the configuration no longer has. */
export class ChannelNotConfiguredError extends Error {
  override readonly name = 'ChannelNotConfiguredError'
  readonly code = 'CHANNEL_NOT_CONFIGURED'

  constructor(channel: string) {
    super(
      `'${channel}' is no configured channel. Put it back into the configuration and deploy; its tasks wait for it.`,
    )
  }
}
