import { plusMs } from '../../modules/core/instant.ts'
import { isEnded } from '../../modules/core/task.ts'
import { decideAndCommit, describeLosses, type Plan } from '../../modules/ledger/decide-and-commit.ts'
import type { Write } from '../../modules/ledger/table/make-write.ts'
import type { TaskRow } from '../../modules/ledger/table/rows.ts'
import { claimWrites, planClaim } from '../../modules/ledger/task/claim-task.ts'
import { endTask } from '../../modules/ledger/task/end-task.ts'
import { holdTask, type Parking, parkTask } from '../../modules/ledger/task/park-task.ts'
import { escalateTask } from '../../modules/ledger/task/to-person.ts'
import type { TaskMessage } from '../../modules/queues/task-message.ts'
import { addLogFields, log } from '../../modules/runtime/telemetry/log.ts'
import { emitMetric, logAndCount } from '../../modules/runtime/telemetry/metrics.ts'
import { executeTask } from './execute-task.ts'
import type { Job } from './job.ts'
import { passGates } from './pass-gates.ts'
import { readView } from './read-view.ts'
import type { Look, TaskHandler, TaskView } from './task-handler.ts'
import { ChannelNotConfiguredError, WorkBugError, type WorkDeps } from './work-deps.ts'

/** A task whose order another effect holds comes again after about this. */
const BUSY_ORDER_MS = 5_000

/** What is done once the writes are there: mostly nothing, after a claim the call. */
type Next = () => Promise<void>

/**
 * Carries out one task that a message names: look first, then claim (which opens the attempt), call, commit.
 * A message decides nothing: one that is late, doubled or stale meets a row that says no.
 * Source: docs/design/task-times.md, Order of work
 */
export async function runTask(deps: WorkDeps, message: TaskMessage, lockedBy: string): Promise<void> {
  addLogFields({ taskNo: message.taskNo })
  const decided = await decideAndCommit(deps, () => planStep(deps, message, lockedBy), 'again')
  switch (decided.kind) {
    case 'decided':
      return decided.value()
    case 'bug':
      throw new WorkBugError(`The ledger refused a transaction: ${decided.message}`)
    case 'gaveUp':
    case 'conflict': {
      const lostTo = decided.kind === 'gaveUp' ? describeLosses(decided.losses) : 'other transactions'
      log('WARN', 'A task was left to the sweep: others kept changing its rows.', { taskNo: message.taskNo, lostTo })
    }
  }
}

const nothing: Next = async () => {}
const answer = (value: Next): Plan<Next> => ({ kind: 'answer', value })
const write = (writes: readonly Write[], value = nothing): Plan<Next> => ({ kind: 'commit', writes, value })

async function planStep(deps: WorkDeps, message: TaskMessage, lockedBy: string): Promise<Plan<Next>> {
  const view = await readView(deps, message)
  if (view === undefined || !isDue(view)) return answer(nothing)
  const { task } = view
  addLogFields({ bizType: task.bizType, orderNo: task.orderNo, channel: task.channel })
  const handler = deps.handlers[task.bizType]
  if (handler === undefined) return answer(() => hold(deps, task))
  const policy = deps.policies.of(task.bizType, task.channel)
  return act(deps, { handler, policy, view }, lockedBy)
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

async function act(deps: WorkDeps, job: Job, lockedBy: string): Promise<Plan<Next>> {
  const { handler, policy, view } = job
  const { task, now } = view
  const busy = policy.effect ? otherEffect(view) : undefined
  const looked: Look = busy ?? lookSafely(handler, view)
  switch (looked.kind) {
    case 'moot':
      return write([endTask(task, looked.status, looked.reason)])
    case 'park':
      return park(view, { ...looked, until: plusMs(looked.until, Math.round(deps.random() * 1000)) })
    case 'escalate':
      return write(escalateTask(task, looked, { ...deps, now }), async () => tellTicket(task, looked.reason))
    case 'go': {
      const passed = await passGates(deps, handler, view)
      if (passed.kind === 'park') {
        return park(view, { until: passed.until, reason: `GATE_${passed.reason}`, slot: passed })
      }
      return claim(deps, { ...job, view: { ...view, passes: passed.passes } }, looked, lockedBy)
    }
  }
}

function park({ task, now }: TaskView, parking: Parking): Plan<Next> {
  return write([parkTask(task, parking, now)])
}

function claim(deps: WorkDeps, job: Job, attempt: Extract<Look, { kind: 'go' }>, lockedBy: string): Plan<Next> {
  const { policy, view } = job
  const { task, order, now } = view
  const claimed = planClaim(task, lockedBy, policy.leaseMs, now)
  const effectOn = policy.effect ? order : undefined
  return write(claimWrites({ task, effectOn }, claimed, attempt, now), () => executeTask(deps, job, claimed))
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

/** The order is in the hands of another effect: two never overlap. */
function otherEffect({ task, order, now }: TaskView): Look | undefined {
  const active = order?.activeTask
  if (active === undefined || active.taskNo === task.taskNo || active.leaseUntil < now) return undefined
  return { kind: 'park', until: plusMs(now, BUSY_ORDER_MS), reason: 'ORDER_BUSY' }
}
