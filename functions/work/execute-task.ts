import { msOf } from '../../modules/core/instant.ts'
import { afterClaim, type Claim } from '../../modules/ledger/task/claim-task.ts'
import { addLogFields, errorFields, log } from '../../modules/runtime/telemetry/log.ts'
import { emitMetric } from '../../modules/runtime/telemetry/metrics.ts'
import { isKeyFault } from './asking/key-fault.ts'
import { finishTask } from './finish-task.ts'
import type { Job } from './job.ts'
import type { Execution, TaskHandler, TaskView } from './task-handler.ts'
import type { WorkDeps } from './work-deps.ts'

/** Makes the call of a task that was claimed, and commits what it came to. */
export async function executeTask(deps: WorkDeps, { handler, policy, view }: Job, claim: Claim): Promise<void> {
  const claimed: TaskView = { ...view, ...afterClaim(view.task, view.order, claim, policy.effect) }
  const { lane, bizType: taskType, taskNo, orderNo } = view.task
  // With its ids: a function that dies in the call writes nothing after this line.
  emitMetric('Attempts', { lane, taskType, taskNo, orderNo })
  const startedMs = msOf(deps.now())
  const execution = await callSafely(handler, claimed)
  const callMs = msOf(deps.now()) - startedMs
  addLogFields({ callMs })
  await reportCall(deps, { handler, policy, view: claimed }, execution, callMs)
  emitMetric('AttemptsDone', { lane, taskType }, isAnswered(execution) ? 1 : 0)
  if (execution.outcome.kind === 'unknown') emitMetric('AttemptsUnknown', { lane })
  await finishTask(deps, { handler, policy, view: claimed }, claim, execution)
}

/** "Not yet" is an answer: most questions about payments that nobody makes end in it, and nothing is wrong with the lane. */
function isAnswered({ outcome }: Execution): boolean {
  return outcome.kind === 'done' || outcome.kind === 'notYet'
}

/** Tells the gate whose slot was taken how the one call of the task went. */
async function reportCall(
  { gate }: WorkDeps,
  { handler, view: { task, passes = {} } }: Job,
  { outcome }: Execution,
  latencyMs: number,
): Promise<void> {
  const { kind, suspect, code = '', httpStatus, retryAfterMs } = outcome
  const [only, ...others] = Object.entries(passes)
  if (only === undefined || others.length > 0 || handler.reportsToGate === true || OF_ONE_ADDRESS.has(code)) return
  const [lane, epoch] = only
  await gate.report(lane, {
    epoch,
    kind,
    latencyMs,
    subject: task.orderNo ?? task.taskNo,
    ...(suspect !== undefined && { suspect }),
    ...(httpStatus !== undefined && { httpStatus }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  })
}

/** Nothing was sent, for a reason that one address has and the lane's others have not: a slot unused, and no news of the lane. */
const OF_ONE_ADDRESS: ReadonlySet<string> = new Set(['ADDRESS_NOT_ALLOWED', 'INTERFACE_NOT_CONFIGURED'])

/** What a handler did not foresee is `unknown`: it may have been sent. A key that is missing or wrong was never sent with. */
async function callSafely(handler: TaskHandler, view: TaskView): Promise<Execution> {
  try {
    return await handler.call(view)
  } catch (error) {
    const { error: name, code, detail } = errorFields(error)
    const { taskNo, orderNo } = view.task
    log('ERROR', 'A task handler threw.', { taskNo, orderNo, error: name, code, detail })
    const kind = isKeyFault(error) ? 'misconfigured' : 'unknown'
    return { outcome: { kind, code: typeof code === 'string' ? code : 'HANDLER_THREW' } }
  }
}
