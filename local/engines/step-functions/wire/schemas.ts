import { z } from 'zod'
import { executionStatuses } from '../execution.ts'
import { maxCauseLength, maxErrorLength } from '../limits.ts'

const arn = z.string().min(1).max(256)
const page = { maxResults: z.int().min(0).max(1000).optional(), nextToken: z.string().min(1).max(3096).optional() }
const failure = {
  error: z.string().max(maxErrorLength).optional(),
  cause: z.string().max(maxCauseLength).optional(),
}
const taskToken = z.string().min(1).max(2048)

// Source: the service's API model.
export const schemas = {
  startExecution: z.object({
    stateMachineArn: arn,
    name: z.string().min(1).max(80).optional(),
    input: z.string().default('{}'),
  }),
  describeExecution: z.object({ executionArn: arn }),
  stopExecution: z.object({ executionArn: arn, ...failure }),
  listExecutions: z.object({ stateMachineArn: arn, statusFilter: z.enum(executionStatuses).optional(), ...page }),
  getExecutionHistory: z.object({
    executionArn: arn,
    reverseOrder: z.boolean().default(false),
    includeExecutionData: z.boolean().default(true),
    ...page,
  }),
  sendTaskSuccess: z.object({ taskToken, output: z.string() }),
  sendTaskFailure: z.object({ taskToken, ...failure }),
  describeStateMachine: z.object({ stateMachineArn: arn }),
  listStateMachines: z.object(page),
}

export type Input<Name extends keyof typeof schemas> = z.infer<(typeof schemas)[Name]>
