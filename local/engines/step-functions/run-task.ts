import type { Json } from '../../host/template/json.ts'
import { waitsForToken } from './definition/machine.ts'
import type { TaskState } from './definition/state-schemas.ts'
import { type Failure, failureOf } from './errors.ts'
import type { Branch } from './execution.ts'
import { taskAnswered, taskFailed, taskScheduled, taskStarted } from './history.ts'
import { prepareCall } from './interpret/enter-state.ts'
import type { TaskAnswer } from './invoke.ts'
import { checkPayload } from './limits.ts'
import type { Moves } from './moves.ts'
import { mintToken } from './task-token.ts'

/** Begins an attempt. Each has a token of its own, as on AWS. */
export function beginAttempt(moves: Moves, branch: Branch): void {
  const task = taskOf(moves, branch)
  const place = { machine: moves.state.record.machine, executionId: moves.state.record.id, branch: branch.index }
  const token = waitsForToken(task) ? mintToken(place) : undefined
  moves.move(branch, { kind: 'attempt', token, deadline: deadlineOf(moves, task), isSubmitted: false })
}

/** Calls the function of an attempt that is on disk. */
export function callFunction(moves: Moves, branch: Branch): void {
  const task = taskOf(moves, branch)
  const { store, invoke } = moves.state.around
  moves.inPhase(branch, {
    work: () => prepareCall(task, moves.state.scopeOf(branch)),
    use: (call) => {
      if (!moves.note(branch, taskScheduled(task, call), taskStarted(task))) return
      moves.inPhase(branch, {
        work: async () => {
          await store.commit.settled()
          return invoke(call)
        },
        use: (answer) => takeAnswer(moves, branch, answer),
      })
    },
  })
}

/** A task with a token goes on waiting when its function has answered. */
function takeAnswer(moves: Moves, branch: Branch, answer: TaskAnswer): void {
  const { phase } = branch
  if (answer.ok && phase.kind === 'attempt' && phase.token !== undefined) {
    const submitted = taskAnswered('Submitted', taskOf(moves, branch), answer.value)
    moves.move(branch, { ...phase, isSubmitted: true }, submitted)
  } else settleTask(moves, branch, answer)
}

/** Ends a task, by its token or by its function's answer. */
export function settleTask(moves: Moves, branch: Branch, answer: TaskAnswer): void {
  const task = taskOf(moves, branch)
  const checked = answer.ok ? checkResult(answer.value) : answer
  if (checked.ok) {
    const succeeded = taskAnswered('Succeeded', task, checked.value)
    moves.move(branch, { kind: 'succeeded', result: checked.value }, succeeded)
  } else loseTask(moves, branch, 'Failed', { error: checked.error, cause: checked.cause })
}

/** Does what is due: the pause before a retry is over, or the time of the task is. */
export function ringTask(moves: Moves, branch: Branch): void {
  if (branch.phase.kind === 'pause') beginAttempt(moves, branch)
  else loseTask(moves, branch, 'TimedOut', { error: 'States.Timeout', cause: undefined })
}

/** Makes again a call that was cut off: its time counts anew, that of a token from where the wait began. */
export function resumeAttempt(moves: Moves, branch: Branch): void {
  const { phase } = branch
  if (phase.kind !== 'attempt') return
  const deadline = phase.token === undefined ? deadlineOf(moves, taskOf(moves, branch)) : phase.deadline
  moves.move(branch, { ...phase, deadline })
}

function loseTask(moves: Moves, branch: Branch, type: 'Failed' | 'TimedOut', failure: Failure): void {
  moves.move(branch, { kind: 'failed', failure }, taskFailed(type, taskOf(moves, branch), failure))
}

function checkResult(value: Json): TaskAnswer {
  try {
    return { ok: true, value: checkPayload('The result of the task', value) }
  } catch (error) {
    return { ok: false, ...failureOf(error) }
  }
}

function deadlineOf(moves: Moves, { TimeoutSeconds }: TaskState): number | undefined {
  return TimeoutSeconds === undefined ? undefined : moves.state.around.now() + TimeoutSeconds * 1000
}

function taskOf({ state }: Moves, branch: Branch): TaskState {
  const found = state.stateOf(branch)
  if (found.Type === 'Task') return found
  throw new Error(`${state.record.arn}: ${branch.state} is no task.`)
}
