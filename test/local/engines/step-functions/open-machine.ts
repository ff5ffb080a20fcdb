import { DescribeExecutionCommand, SendTaskSuccessCommand, StartExecutionCommand } from '@aws-sdk/client-sfn'
import type { Invoke } from '../../../../local/engines/step-functions/invoke.ts'
import { until } from '../scheduler/until.ts'
import { startStepFunctions } from './start-step-functions.ts'

/** An engine with one machine, `m`, whose functions answer with their payload until told otherwise. */
export async function openMachine() {
  const calls: Parameters<Invoke>[0][] = []
  const control: { answer: Invoke } = { answer: async ({ payload }) => ({ ok: true, value: payload }) }
  const sfn = await startStepFunctions({
    invoke: (call) => {
      calls.push(call)
      return control.answer(call)
    },
  })
  const { client, clock, engine } = sfn
  const quiet = () => until(() => !engine.isRunning())
  return {
    ...sfn,
    calls,
    control,
    quiet,
    define: async (definition: string) => (await engine.putMachine('m', definition)).arn,
    start: async (options: { name?: string; input?: string } = {}): Promise<string> => {
      const stateMachineArn = 'arn:aws:states:us-east-1:000000000000:stateMachine:m'
      const { executionArn = '' } = await client.send(new StartExecutionCommand({ stateMachineArn, ...options }))
      return executionArn
    },
    describeExecution: (executionArn: string) => client.send(new DescribeExecutionCommand({ executionArn })),
    /** The token that the function got in its n-th call, from 0. */
    tokenOf: (index: number): string => JSON.parse(JSON.stringify(calls[index]?.payload)).token,
    succeed: (taskToken: string, output = '{}') => client.send(new SendTaskSuccessCommand({ taskToken, output })),
    leapToDue: async () => {
      const at = engine.nextDueAt() ?? 0
      clock.leapTo(at)
      await until(() => (engine.nextDueAt() ?? Number.POSITIVE_INFINITY) > at)
      await quiet()
    },
  }
}
