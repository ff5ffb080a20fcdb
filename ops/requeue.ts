import { type Instant, instantOf, msOf } from '../modules/core/instant.ts'
import { eventIdOf, planReplay } from '../modules/ledger/notice/replay-notice.ts'
import { type OrderFile, readCollection } from '../modules/ledger/read/queries.ts'
import { commit } from '../modules/ledger/table/commit.ts'
import type { TaskRow } from '../modules/ledger/table/rows.ts'
import { isRequeued, requeueWrites, startExecutionOf } from '../modules/ledger/task/requeue-task.ts'
import { isAnsweredSince, whyNotReopened } from '../modules/ledger/task/why-not-reopened.ts'
import { ArgumentError, type RequeueOptions } from './arguments.ts'
import type { OpsDeps } from './deps.ts'
import { findStuck } from './find-stuck.ts'
import type { Line, Result } from './line.ts'

/** Tasks worked on at the same time. */
const TOGETHER = 10

type Plan =
  /** With all tasks of the collection, where it was read: one of them starts the ticket's execution, or tells the notice. */
  | { readonly kind: 'go'; readonly tasks?: readonly TaskRow[] }
  | { readonly kind: 'not'; readonly result: 'skipped' | 'refused'; readonly reason: string }

/**
 * Sends stuck tasks round again, each by one conditional write. They are spread over time by their plan, not by waiting here: the
 * n-th runs n/rate seconds from now, and the gate still decides.
 * @throws ArgumentError for a channel that the stack has not; errors of the SDK while looking
 * Source: docs/design/flows.md, Watching the watcher
 */
export async function* requeue(deps: OpsDeps, options: RequeueOptions): AsyncGenerator<Line> {
  if (!deps.lanes.includes(options.channel)) {
    throw new ArgumentError(`There is no lane '${options.channel}'; there are ${deps.lanes.join(', ')}.`)
  }
  const startedAt = deps.now()
  const stuck = await findStuck(deps.ledger, options, startedAt)
  let slot = 0
  for (let from = 0; from < stuck.length; from += TOGETHER) {
    const group = stuck.slice(from, from + TOGETHER)
    const plans = await Promise.all(group.map(async (task) => ({ task, plan: await planOf(deps, options, task) })))
    const lines = plans.map(({ task, plan }) => {
      if (plan.kind === 'not') return lineOf(task, plan.result, plan.reason)
      const slotMs = msOf(startedAt) + Math.round((slot++ * 1000) / options.ratePerS)
      // Writing many takes time, too: a slot that has passed meanwhile is now.
      const at = instantOf(Math.max(slotMs, msOf(deps.now())))
      if (options.dryRun) return lineOf(task, 'would do', `${task.status} → ${at}`)
      return sendRound(deps, task, at, plan.tasks ?? [])
    })
    for (const line of lines) yield await line
  }
}

async function planOf(deps: OpsDeps, options: RequeueOptions, task: TaskRow): Promise<Plan> {
  if (isRequeued(task))
    return { kind: 'not', result: 'skipped', reason: `sent round already, for ${task.nextExecuteAt}` }
  const isReadAlone = task.status !== 'MANUAL' && task.status !== 'CLOSED'
  if (isReadAlone && options.noSuccessSince === undefined) return { kind: 'go' }
  const file = await readCollection(deps.ledger, task.pk)
  const { noSuccessSince } = options
  if (noSuccessSince !== undefined && isAnsweredSince(attemptsLike(file, task), noSuccessSince)) {
    return { kind: 'not', result: 'skipped', reason: `a ${task.bizType} of this order was answered since` }
  }
  if (task.status !== 'MANUAL') return { kind: 'go', tasks: file.tasks }
  const reason = whyNotReopened(
    task,
    file.attempts.filter(({ taskNo }) => taskNo === task.taskNo),
  )
  if (reason !== undefined) return { kind: 'not', result: 'refused', reason }
  return { kind: 'go', tasks: file.tasks }
}

/** Attempts of all tasks of the order that are of the same type and channel. */
function attemptsLike(file: OrderFile, task: TaskRow) {
  const like = new Set(
    file.tasks
      .filter(({ bizType, channel }) => bizType === task.bizType && channel === task.channel)
      .map(({ taskNo }) => taskNo),
  )
  return file.attempts.filter(({ taskNo }) => like.has(taskNo))
}

async function sendRound(
  { ledger, policies, by, now }: OpsDeps,
  task: TaskRow,
  at: Instant,
  tasks: readonly TaskRow[],
): Promise<Line> {
  try {
    const context = { policies, now: now() }
    const writes =
      task.status === 'CLOSED'
        ? planReplay(tasks, eventIdOf(task), { by, at }, context).writes
        : requeueWrites(task, { at, by, startExecution: startExecutionOf(tasks, task) }, context)
    if (writes.length === 0) return lineOf(task, 'skipped', 'it is being told now')
    const result = await commit(ledger, writes, context.now)
    switch (result.kind) {
      case 'done':
        return lineOf(task, 'done', `${task.status} → ${at}`)
      case 'lost':
      case 'conflict':
        return lineOf(task, 'lost', 'somebody else acted on it meanwhile; run again to see how it stands')
      case 'bug':
        return lineOf(task, 'failed', result.message)
    }
  } catch (error) {
    // One task that the table did not answer for must not keep back the others.
    return lineOf(task, 'failed', error instanceof Error ? `${error.name}: ${error.message}` : 'unknown error')
  }
}

function lineOf(task: TaskRow, result: Result, detail: string): Line {
  const { pk, taskNo, bizType, bizNo, lastErrorCode } = task
  const why = lastErrorCode === undefined ? '' : ` (${lastErrorCode})`
  return { result, action: 'requeue', item: `${bizType} ${bizNo} ${pk} ${taskNo}${why}`, detail }
}
