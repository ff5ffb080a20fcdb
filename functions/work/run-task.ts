import { msOf, plusMs } from '../../modules/core/instant.ts'
import { isEnded } from '../../modules/core/task.ts'
import { policyOf, type TaskPolicy } from '../../modules/core/task-policies.ts'
import { type Commit, commit, updateOne } from '../../modules/ledger/table/commit.ts'
import type { TaskRow } from '../../modules/ledger/table/rows.ts'
import { afterClaim, type Claim, claimWrites, planClaim } from '../../modules/ledger/task/claim-task.ts'
import { endTask, escalateTask, holdTask, parkTask } from '../../modules/ledger/task/move-task.ts'
import type { TaskMessage } from '../../modules/queues/task-message.ts'
import { addLogFields, errorFields, log } from '../../modules/runtime/telemetry/log.ts'
import { emitMetric, logAndCount } from '../../modules/runtime/telemetry/metrics.ts'
import { isKeyFault } from './asking/key-fault.ts'
import { finishTask } from './finish-task.ts'
import { passGates } from './pass-gates.ts'
import { readView } from './read-view.ts'
import type { Execution, Look, TaskHandler, TaskView } from './task-handler.ts'
import { ChannelNotConfiguredError, WorkBugError, type WorkDeps } from './work-deps.ts'

/** Looks, decides and tries to claim this often when others were faster. */
const MAX_LOOKS = 5
/** A task whose order another effect holds comes again after about this. */
const BUSY_ORDER_MS = 5_000

/**
 * Carries out one task that a message names: look first, then claim (which opens the attempt), call, commit.
 * A message decides nothing: one that is late, doubled or stale meets a row that says no.
 * Source: docs/design/task-times.md, Order of work
 */
export async function runTask(deps: WorkDeps, message: TaskMessage, lockedBy: string): Promise<void> {
  addLogFields({ taskNo: message.taskNo })
  for (let round = 0; round < MAX_LOOKS; round++) {
    const view = await readView(deps, message)
    if (view === undefined || !isDue(view)) return
    const { task } = view
    addLogFields({ bizType: task.bizType, orderNo: task.orderNo, channel: task.channel })
    const handler = deps.handlers[task.bizType]
    if (handler === undefined) return hold(deps, task)
    const policy = policyOf(task.bizType, task.channel, deps.overrides)
    const result = await act(deps, handler, policy, view, lockedBy)
    if (result === 'finished') return
  }
  log('WARN', 'A task was left to the sweep: others kept changing its rows.', { taskNo: message.taskNo })
}

/** One second of clock skew is allowed, as in the claim's condition. */
function isDue({ task, now }: TaskView): boolean {
  return (task.status === 'WAITING' || task.status === 'RETRY') && task.nextExecuteAt <= plusMs(now, 1000)
}

async function hold(deps: WorkDeps, task: TaskRow): Promise<void> {
  if (isEnded(task.status)) return
  emitMetric('TasksHeld', { taskType: task.bizType, taskNo: task.taskNo, orderNo: task.orderNo })
  await holdTask(deps.ledger, task, deps.now())
}

type Acted = 'finished' | 'again'

async function act(
  deps: WorkDeps,
  handler: TaskHandler,
  policy: TaskPolicy,
  view: TaskView,
  lockedBy: string,
): Promise<Acted> {
  const { task, order, now } = view
  const busy = policy.effect ? otherEffect(view) : undefined
  const looked: Look = busy ?? lookSafely(handler, view)
  switch (looked.kind) {
    case 'moot':
      return acted(await updateOne(deps.ledger, endTask(task, looked.status, looked.reason), now))
    case 'park': {
      const until = plusMs(looked.until, Math.round(deps.random() * 1000))
      return acted(await updateOne(deps.ledger, parkTask(task, until, looked.reason, now), now))
    }
    case 'escalate': {
      const result = await commit(
        deps.ledger,
        escalateTask(task, looked.reason, looked.message, deps.overrides, now),
        now,
      )
      if (result.kind === 'done') tellTicket(task, looked.reason)
      return acted(result)
    }
    case 'go': {
      const passed = await passGates(deps, handler, view)
      if (passed.kind === 'park') {
        const { until, reason } = passed
        return acted(await updateOne(deps.ledger, parkTask(task, until, `GATE_${reason}`, now, passed), now))
      }
      const claim = planClaim(task, lockedBy, policy.leaseMs, now)
      const writes = claimWrites(task, claim, looked, policy.effect ? order : undefined, now)
      const claimed = await commit(deps.ledger, writes, now)
      if (claimed.kind !== 'done') return acted(claimed)
      await execute(deps, handler, policy, { ...view, passes: passed.passes }, claim)
      return 'finished'
    }
  }
}

function tellTicket({ taskNo, bizType, orderNo }: TaskRow, reason: string): void {
  logAndCount('WARN', 'A task was given to a person.', ['TicketsOpened'], { taskNo, bizType, orderNo, reason })
}

/** A task of a channel that is not configured any more is a person's: no retry can help, and no queue must choke on it. */
function lookSafely(handler: TaskHandler, view: TaskView): Look {
  try {
    return handler.look(view)
  } catch (error) {
    if (!(error instanceof ChannelNotConfiguredError)) throw error
    return { kind: 'escalate', reason: error.code, message: error.message }
  }
}

async function execute(
  deps: WorkDeps,
  handler: TaskHandler,
  policy: TaskPolicy,
  view: TaskView,
  claim: Claim,
): Promise<void> {
  const claimed: TaskView = { ...view, ...afterClaim(view.task, view.order, claim, policy.effect) }
  const { lane, bizType: taskType, taskNo, orderNo } = view.task
  // With its ids: a function that dies in the call writes nothing after this line.
  emitMetric('Attempts', { lane, taskType, taskNo, orderNo })
  const startedMs = msOf(deps.now())
  const execution = await callSafely(handler, claimed)
  const callMs = msOf(deps.now()) - startedMs
  addLogFields({ callMs })
  await reportCall(deps, handler, claimed, execution, callMs)
  emitMetric('AttemptsDone', { lane, taskType }, isAnswered(execution) ? 1 : 0)
  if (execution.outcome.kind === 'unknown') emitMetric('AttemptsUnknown', { lane })
  await finishTask(deps, handler, policy, claimed, claim, execution)
}

/** "Not yet" is an answer: most questions about payments that nobody makes end in it, and nothing is wrong with the lane. */
function isAnswered({ outcome }: Execution): boolean {
  return outcome.kind === 'done' || outcome.kind === 'notYet'
}

/** Tells the gate whose slot was taken how the one call of the task went. */
async function reportCall(
  { gate }: WorkDeps,
  handler: TaskHandler,
  { task, passes = {} }: TaskView,
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

/** The order is in the hands of another effect: two never overlap. */
function otherEffect({ task, order, now }: TaskView): Look | undefined {
  const active = order?.activeTask
  if (active === undefined || active.taskNo === task.taskNo || active.leaseUntil < now) return undefined
  return { kind: 'park', until: plusMs(now, BUSY_ORDER_MS), reason: 'ORDER_BUSY' }
}

function acted(result: Commit): Acted {
  if (result.kind === 'bug') throw new WorkBugError(`The ledger refused a transaction: ${result.message}`)
  return result.kind === 'done' ? 'finished' : 'again'
}
