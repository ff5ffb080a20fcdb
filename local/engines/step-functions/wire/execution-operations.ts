import { AwsJsonError } from '../../wire/aws-json.ts'
import { executionArn, machineArn } from '../arns.ts'
import type { ExecutionRecord } from '../execution.ts'
import {
  pageSizeOf,
  readPageToken,
  readPayload,
  requireExecution,
  requireMachine,
  type WireContext,
  writePageToken,
} from './context.ts'
import type { Input } from './schemas.ts'

// Source: Step Functions API reference, StartExecution, "name".
const forbiddenInName = /[\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}]/u

/**
 * Starts an execution. The same name and input again, while it runs, is the same answer.
 * @throws AwsJsonError InvalidName, InvalidExecutionInput, ExecutionAlreadyExists, StateMachineDoesNotExist, InvalidArn
 */
export function startExecution(
  context: WireContext,
  { stateMachineArn, name, input }: Input<'startExecution'>,
): object {
  const machine = requireMachine(context, stateMachineArn)
  if (name !== undefined && forbiddenInName.test(name)) {
    throw new AwsJsonError('InvalidName', `Invalid Name: '${name}'`)
  }
  const value = readPayload(input, 'input', 'InvalidExecutionInput')
  const existing = name === undefined ? undefined : takenBy(context, executionArn(machine.name, name))
  if (existing !== undefined && (existing.status !== 'RUNNING' || existing.input !== input)) {
    throw new AwsJsonError('ExecutionAlreadyExists', `Execution Already Exists: '${existing.arn}'`)
  }
  const { arn, startedAt } = existing ?? context.runner.start(machine, { name, text: input, input: value })
  return { executionArn: arn, startDate: startedAt / 1000 }
}

/** The execution that holds a name; one whose time is over gives it free. */
function takenBy({ store, runner }: WireContext, arn: string): ExecutionRecord | undefined {
  const existing = runner.find(arn)
  const forgotten = existing === undefined ? store.find(arn) : undefined
  if (forgotten !== undefined) store.forget(forgotten.id)
  return existing
}

const summaryOf = ({ arn, machine, name, status, startedAt, stoppedAt }: ExecutionRecord) => ({
  executionArn: arn,
  stateMachineArn: machineArn(machine),
  name,
  status,
  startDate: startedAt / 1000,
  ...(stoppedAt !== undefined && { stopDate: stoppedAt / 1000 }),
  redriveCount: 0,
})

/** @throws AwsJsonError ExecutionDoesNotExist, InvalidArn */
export function describeExecution(context: WireContext, input: Input<'describeExecution'>): object {
  const execution = requireExecution(context, input.executionArn)
  const included = { included: true }
  return {
    ...summaryOf(execution),
    input: execution.input,
    inputDetails: included,
    ...(execution.output !== undefined && { output: execution.output, outputDetails: included }),
    ...execution.failure,
  }
}

/** @throws AwsJsonError ExecutionDoesNotExist, InvalidArn */
export function stopExecution(context: WireContext, { executionArn: arn, ...failure }: Input<'stopExecution'>): object {
  const stoppedAt = context.runner.stop(requireExecution(context, arn), failure)
  return { stopDate: stoppedAt / 1000 }
}

/** Newest first. @throws AwsJsonError StateMachineDoesNotExist, InvalidArn, InvalidToken */
export function listExecutions(context: WireContext, input: Input<'listExecutions'>): object {
  const machine = requireMachine(context, input.stateMachineArn)
  const size = pageSizeOf(input.maxResults)
  const found = context.store.list(machine.name, {
    status: input.statusFilter,
    beforeId: readPageToken(input.nextToken) ?? Number.MAX_SAFE_INTEGER,
    keptSince: context.runner.keptSince(),
    limit: size + 1,
  })
  const page = found.slice(0, size)
  const last = page.at(-1)
  return {
    executions: page.map(summaryOf),
    ...(found.length > size && last !== undefined && { nextToken: writePageToken(last.id) }),
  }
}
