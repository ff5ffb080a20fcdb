import { decideRetry, type RetryState, type TaskDecision } from '../../modules/core/decide-retry.ts'
import { type Instant, msOf, plusMs } from '../../modules/core/instant.ts'
import { decideAndCommit, describeLosses } from '../../modules/ledger/decide-and-commit.ts'
import { effectIsOurs } from '../../modules/ledger/table/conditions.ts'
import type { Write } from '../../modules/ledger/table/make-write.ts'
import type { Claim } from '../../modules/ledger/task/claim-task.ts'
import { finishWrites, releaseOrder } from '../../modules/ledger/task/finish-attempt.ts'
import { log } from '../../modules/runtime/telemetry/log.ts'
import { emitMetric } from '../../modules/runtime/telemetry/metrics.ts'
import type { Job } from './job.ts'
import { readView } from './read-view.ts'
import type { Execution, TaskView } from './task-handler.ts'
import { WorkBugError, type WorkDeps } from './work-deps.ts'

const ORDER_CHANGED: Execution = { outcome: { kind: 'notYet', code: 'ORDER_CHANGED' } }

/** What was committed of an execution, or that its lease had lapsed. */
interface Finished {
  readonly view: TaskView
  readonly result: Execution
  readonly decision: TaskDecision['kind'] | 'lapsed'
}

/**
 * Commits what an execution came to: attempt closed, task moved, its effect written, the order given back, in one transaction.
 * The outcome is a fact whatever happens to the order meanwhile, so a lost race reads again and writes again while the claim holds.
 */
export async function finishTask(deps: WorkDeps, job: Job, claim: Claim, execution: Execution): Promise<void> {
  const { task } = job.view
  let last: Pick<Finished, 'view' | 'result'> = { view: job.view, result: execution }
  const decided = await decideAndCommit<Finished>(
    deps,
    async ({ now, number }) => {
      if (number > 0) {
        const fresh = await readView(deps, task)
        if (!holdsClaim(fresh, claim)) return { kind: 'answer', value: { ...last, decision: 'lapsed' } }
        last = { view: fresh, result: await resultFor(job, fresh, last.result) }
      }
      const decision = decide(deps, job, last.result, now)
      const finished = finishWrites(task, claim, { ...last.result, decision }, { ...deps, now })
      const effect = effectWrites({ ...job, view: last.view }, claim, decision.kind === 'succeed')
      return { kind: 'commit', writes: [...finished, ...effect], value: { ...last, decision: decision.kind } }
    },
    'again',
  )
  if (decided.kind === 'decided') return tell(decided.value)
  if (decided.kind === 'bug') throw new WorkBugError(`The ledger refused a transaction: ${decided.message}`)
  const lostTo = decided.kind === 'gaveUp' ? describeLosses(decided.losses) : 'other transactions'
  log('ERROR', 'An outcome could not be committed: others kept changing its rows.', { taskNo: task.taskNo, lostTo })
  throw new WorkBugError(
    `Task ${task.taskNo} could not commit its outcome; its lease lapses and the sweep takes it back.`,
  )
}

function holdsClaim(view: TaskView | undefined, { fence }: Claim): view is TaskView {
  return view !== undefined && view.task.fence === fence && view.task.status === 'PROCESSING'
}

/** The outcome as it stands for rows that others have changed: what was found in rows alone is looked for anew. */
async function resultFor({ handler, view }: Job, fresh: TaskView, result: Execution): Promise<Execution> {
  const again = handler.isLedgerWork?.(fresh) === true ? await handler.call(fresh) : result
  return handler.restsOnOrder === true && fresh.order?.rev !== view.order?.rev ? ORDER_CHANGED : again
}

function decide(deps: WorkDeps, { policy, view }: Job, result: Execution, now: Instant): TaskDecision {
  const own = planned(view, result, now)
  if (own !== undefined) return own
  return decideRetry(judgedAtLook(view, now), result.outcome, { policy, now, jitter: deps.random() })
}

function tell({ view, result, decision }: Finished): void {
  if (decision === 'lapsed') {
    const message = 'A lease lapsed before its outcome was committed; the next worker asks first.'
    log('WARN', message, fieldsOf(view, result, decision))
    return
  }
  if (decision === 'manual') emitMetric('TicketsOpened')
  if (decision === 'close') emitMetric('NoticesGivenUp')
  log('INFO', 'A task was executed.', fieldsOf(view, result, decision))
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

function effectWrites({ handler, policy, view }: Job, claim: Claim, succeeded: boolean): readonly Write[] {
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
