import { decideRetry, type RetryState, type TaskDecision } from '../../modules/core/decide-retry.ts'
import { type Instant, msOf, plusMs } from '../../modules/core/instant.ts'
import type { TaskPolicy } from '../../modules/core/task-policies.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { effectIsOurs } from '../../modules/ledger/table/conditions.ts'
import type { Write } from '../../modules/ledger/table/make-write.ts'
import type { Claim } from '../../modules/ledger/task/claim-task.ts'
import { finishWrites, releaseOrder } from '../../modules/ledger/task/finish-attempt.ts'
import { log } from '../../modules/runtime/telemetry/log.ts'
import { emitMetric } from '../../modules/runtime/telemetry/metrics.ts'
import { readView } from './read-view.ts'
import type { Execution, TaskHandler, TaskView } from './task-handler.ts'
import { WorkBugError, type WorkDeps } from './work-deps.ts'

const MAX_COMMITS = 5

const ORDER_CHANGED: Execution = { outcome: { kind: 'notYet', code: 'ORDER_CHANGED' } }

/**
 * Commits what an execution came to: attempt closed, task moved, its effect written, the order given back, in one transaction.
 * The outcome is a fact whatever happens to the order meanwhile, so a lost race reads again and writes again while the claim holds.
 */
export async function finishTask(
  deps: WorkDeps,
  handler: TaskHandler,
  policy: TaskPolicy,
  claimed: TaskView,
  claim: Claim,
  execution: Execution,
): Promise<void> {
  const { task } = claimed
  let view = claimed
  let result = execution
  for (let round = 0; round < MAX_COMMITS; round++) {
    const now = deps.now()
    const decision =
      planned(claimed, result, now) ??
      decideRetry(judgedAtLook(claimed, now), result.outcome, policy, now, deps.random())
    const writes = [
      ...finishWrites(task, claim, { ...result, decision }, deps.overrides, now),
      ...effectWrites(handler, policy, view, claim, decision.kind === 'succeed'),
    ]
    const committed = await commit(deps.ledger, writes, now)
    if (committed.kind === 'bug') throw new WorkBugError(`The ledger refused a transaction: ${committed.message}`)
    if (committed.kind === 'done') {
      if (decision.kind === 'manual') emitMetric('TicketsOpened')
      if (decision.kind === 'close') emitMetric('NoticesGivenUp')
      log('INFO', 'A task was executed.', fieldsOf(view, result, decision.kind))
      return
    }
    const fresh = await readView(deps, task)
    if (fresh === undefined || fresh.task.fence !== claim.fence || fresh.task.status !== 'PROCESSING') {
      log(
        'WARN',
        'A lease lapsed before its outcome was committed; the next worker asks first.',
        fieldsOf(view, result, 'lapsed'),
      )
      return
    }
    view = fresh
    if (handler.isLedgerWork?.(view) === true) result = await handler.call(view)
    if (handler.restsOnOrder === true && view.order?.rev !== claimed.order?.rev) result = ORDER_CHANGED
  }
  throw new WorkBugError(
    `Task ${task.taskNo} could not commit its outcome; its lease lapses and the sweep takes it back.`,
  )
}

/** Whether the total time is used up is judged as of the look: a handler that made its last try must have known that it was. */
function judgedAtLook({ task, now: lookedAt }: TaskView, now: Instant): RetryState {
  const { retryCount, deadlineAt, misconfiguredSince } = task
  return { retryCount, misconfiguredSince, deadlineAt: plusMs(deadlineAt, msOf(now) - msOf(lookedAt)) }
}

/** The handler's own plan, where it has one. */
function planned(
  { task }: TaskView,
  { outcome, next, interfaceIndex }: Execution,
  now: Instant,
): TaskDecision | undefined {
  if (interfaceIndex !== undefined) return goOnWithNext(now)
  if (next === undefined || outcome.kind !== 'notYet') return undefined
  const { at, rule, isPause } = next
  return isPause === true
    ? { kind: 'pause', nextExecuteAt: at, rule }
    : { kind: 'retry', nextExecuteAt: at, retryCount: task.retryCount, rule }
}

/** A way of delivery that refused for good hands over to the next, which has all its retries before it. */
function goOnWithNext(now: Instant): TaskDecision {
  return { kind: 'retry', nextExecuteAt: now, retryCount: 0, rule: 'next interface' }
}

function effectWrites(
  handler: TaskHandler,
  policy: TaskPolicy,
  view: TaskView,
  claim: Claim,
  succeeded: boolean,
): readonly Write[] {
  const { task, order } = view
  const effect = succeeded ? handler.commit?.(view, effectIsOurs(task.taskNo, claim.fence)) : undefined
  const release =
    policy.effect && order !== undefined && effect?.releasesOrder !== true ? [releaseOrder(order, task, claim)] : []
  return [...(effect?.writes ?? []), ...release]
}

function fieldsOf({ task }: TaskView, { outcome }: Execution, decision: string) {
  return {
    taskNo: task.taskNo,
    bizType: task.bizType,
    orderNo: task.orderNo,
    outcome: outcome.kind,
    code: outcome.code,
    decision,
  }
}
