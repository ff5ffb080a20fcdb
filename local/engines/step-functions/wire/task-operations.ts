import { AwsJsonError } from '../../wire/aws-json.ts'
import type { TaskAnswer } from '../invoke.ts'
import { readPayload, type WireContext } from './context.ts'
import type { Input } from './schemas.ts'

/** @throws AwsJsonError InvalidToken, InvalidOutput, TaskTimedOut, TaskDoesNotExist */
export function sendTaskSuccess(context: WireContext, { taskToken, output }: Input<'sendTaskSuccess'>): object {
  return settle(context, taskToken, { ok: true, value: readPayload(output, 'output', 'InvalidOutput') })
}

/** @throws AwsJsonError InvalidToken, TaskTimedOut, TaskDoesNotExist */
export function sendTaskFailure(context: WireContext, input: Input<'sendTaskFailure'>): object {
  // Without a name the error still has one. Source: Step Functions guide, "Handling errors", States.TaskFailed
  return settle(context, input.taskToken, { ok: false, error: input.error ?? 'States.TaskFailed', cause: input.cause })
}

function settle({ runner }: WireContext, token: string, answer: TaskAnswer): object {
  switch (runner.settle(token, answer)) {
    case 'settled':
      return {}
    case 'over':
      throw new AwsJsonError('TaskTimedOut', 'Task Timed Out: the token has expired or its task is closed.')
    case 'no execution':
      throw new AwsJsonError('TaskDoesNotExist', 'Task Does Not Exist: the execution of this token is gone.')
    case 'no token':
      throw new AwsJsonError('InvalidToken', "Invalid Token: 'Invalid token'")
  }
}
