import { z } from 'zod'
import type { Json } from '../../../host/template/json.ts'
import { isExpression } from './expression.ts'

const json: z.ZodType<Json> = z.json()
const expression = z.string().refine(isExpression, 'must be an expression in {% %}')
const constant = z.string().refine((text) => !isExpression(text), 'must be a constant')
const stateName = z.string().min(1).max(80)
const longestSeconds = 99_999_999

// Strict objects throughout: a field that is not here is a feature that nobody runs.
const common = { Comment: z.string().optional() }
const onwards = { Next: stateName.optional(), End: z.literal(true).optional() }

// Source of the bounds: https://states-language.net/spec.html#errors, and the Step Functions guide, "Error handling"
const retrier = z.strictObject({
  ErrorEquals: z.array(z.string().min(1)).min(1),
  IntervalSeconds: z.int().min(1).max(longestSeconds).default(1),
  BackoffRate: z.number().min(1).default(2),
  MaxAttempts: z.int().min(0).max(longestSeconds).default(3),
  MaxDelaySeconds: z.int().min(1).max(31_622_399).optional(),
  JitterStrategy: z.literal('FULL').optional(),
})
const catcher = z.strictObject({
  ErrorEquals: z.array(z.string().min(1)).min(1),
  Next: stateName,
  Output: json.optional(),
})

const task = z.strictObject({
  ...common,
  ...onwards,
  Type: z.literal('Task'),
  Resource: z
    .string()
    .regex(
      /^arn:aws(-[a-z]+)*:states:::lambda:invoke(\.waitForTaskToken)?$/,
      'must be lambda:invoke or lambda:invoke.waitForTaskToken',
    ),
  Arguments: z.strictObject({ FunctionName: z.string().min(1), Payload: json.optional() }),
  Output: json.optional(),
  Assign: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,79}$/), json).optional(),
  TimeoutSeconds: z.int().min(1).max(longestSeconds).optional(),
  Retry: z.array(retrier).default([]),
  Catch: z.array(catcher).default([]),
})

const choice = z.strictObject({
  ...common,
  Type: z.literal('Choice'),
  Choices: z.array(z.strictObject({ ...common, Condition: expression, Next: stateName })).min(1),
  Default: stateName.optional(),
})

const succeed = z.strictObject({ ...common, Type: z.literal('Succeed'), Output: json.optional() })

const fail = z.strictObject({
  ...common,
  Type: z.literal('Fail'),
  Error: constant.optional(),
  Cause: constant.optional(),
})

const map = z.strictObject({
  ...common,
  ...onwards,
  Type: z.literal('Map'),
  Items: z.union([expression, z.array(json)]),
  ItemSelector: json.optional(),
  MaxConcurrency: z.int().min(0).optional(),
  // Its states are read on their own, so that a refusal names the state.
  ItemProcessor: z.strictObject({
    ...common,
    ProcessorConfig: z.strictObject({ Mode: z.literal('INLINE') }).optional(),
    StartAt: stateName,
    States: z.record(stateName, json),
  }),
  Output: json.optional(),
  Catch: z.array(catcher).default([]),
})

/** The state types that are run, each with all its fields. */
export const stateSchemas = { Task: task, Choice: choice, Succeed: succeed, Fail: fail, Map: map }

/** The top of a definition. */
export const machineSchema = z.strictObject({
  ...common,
  QueryLanguage: z.literal('JSONata'),
  StartAt: stateName,
  TimeoutSeconds: z.int().min(1).max(longestSeconds).optional(),
  States: z.record(stateName, json),
})

export type Retrier = z.infer<typeof retrier>
export type Catcher = z.infer<typeof catcher>
export type TaskState = z.infer<typeof task>
export type ChoiceState = z.infer<typeof choice>
export type SucceedState = z.infer<typeof succeed>
export type FailState = z.infer<typeof fail>
export type MapFields = z.infer<typeof map>
