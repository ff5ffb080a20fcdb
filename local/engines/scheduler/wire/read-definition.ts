import { z } from 'zod'
import { InvalidExpressionError, invalid } from '../errors.ts'
import { parseExpression } from '../next-fire.ts'
import type { ScheduleDefinition } from '../schedule.ts'
import { isTimeZone } from '../zoned-time.ts'

const maxInputBytes = 262_144

const arn = z.string().regex(/^arn:aws[a-z-]*:[a-z0-9-]+:[^:]*:[^:]*:.+$/, 'Invalid ARN')

// Loose: parameters of targets that this machine does not have are kept and given back.
const targetSchema = z.looseObject({
  Arn: arn,
  RoleArn: arn,
  Input: z.string().min(1).optional(),
  DeadLetterConfig: z.object({ Arn: arn.optional() }).optional(),
  RetryPolicy: z
    .object({
      MaximumEventAgeInSeconds: z.number().int().min(60).max(86_400).optional(),
      MaximumRetryAttempts: z.number().int().min(0).max(185).optional(),
    })
    .optional(),
  SqsParameters: z.object({ MessageGroupId: z.string().min(1).max(128).optional() }).optional(),
  EventBridgeParameters: z
    .object({ DetailType: z.string().min(1).max(128), Source: z.string().min(1).max(256) })
    .optional(),
})

/** The target of a schedule in wire form, as it is stored and given back. */
export type TargetDefinition = Readonly<z.infer<typeof targetSchema>>

// The wire has seconds since the epoch, a template has text.
const instantMs = z.union([z.number().transform((seconds) => seconds * 1000), z.iso.datetime().transform(Date.parse)])

const windowSchema = z.discriminatedUnion('Mode', [
  z.object({ Mode: z.literal('OFF') }),
  z.object({ Mode: z.literal('FLEXIBLE'), MaximumWindowInMinutes: z.number().int().min(1).max(1440) }),
])

const definitionSchema = z.object({
  ScheduleExpression: z.string().min(1).max(256),
  ScheduleExpressionTimezone: z.string().min(1).max(50).default('UTC'),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  ActionAfterCompletion: z.enum(['NONE', 'DELETE']).default('NONE'),
  StartDate: instantMs.optional(),
  EndDate: instantMs.optional(),
  Description: z.string().max(512).optional(),
  FlexibleTimeWindow: windowSchema,
  Target: targetSchema,
})

/**
 * Reads the body of Create and UpdateSchedule, or a template's properties.
 * @throws SchedulerError ValidationException naming the first fault
 */
export function readDefinition(body: unknown): ScheduleDefinition {
  const { success, data, error } = definitionSchema.safeParse(body)
  if (!success) {
    const [issue] = error.issues
    throw invalid(`Invalid ${issue?.path.join('.') ?? 'request'}: ${issue?.message ?? 'it cannot be read'}`)
  }
  checkExpression(data.ScheduleExpression)
  if (!isTimeZone(data.ScheduleExpressionTimezone)) {
    throw invalid(`Invalid ScheduleExpressionTimezone ${data.ScheduleExpressionTimezone}.`)
  }
  if (data.StartDate !== undefined && data.EndDate !== undefined && data.EndDate <= data.StartDate) {
    throw invalid('The EndDate must come after the StartDate.')
  }
  if (Buffer.byteLength(data.Target.Input ?? '') > maxInputBytes) {
    throw invalid(`Invalid Target.Input: at most ${maxInputBytes} bytes are allowed.`)
  }
  return {
    expression: data.ScheduleExpression,
    timeZone: data.ScheduleExpressionTimezone,
    isEnabled: data.State === 'ENABLED',
    deletesAfterCompletion: data.ActionAfterCompletion === 'DELETE',
    startAt: data.StartDate,
    endAt: data.EndDate,
    description: data.Description,
    window: data.FlexibleTimeWindow,
    target: data.Target,
  }
}

function checkExpression(expression: string): void {
  try {
    parseExpression(expression)
  } catch (error) {
    if (!(error instanceof InvalidExpressionError)) throw error
    throw invalid(`Invalid Schedule Expression ${expression}: ${error.message}.`)
  }
}

/** @throws SchedulerError ValidationException */
export function checkName(field: string, name: string): void {
  if (/^[0-9a-zA-Z\-_.]{1,64}$/.test(name)) return
  throw invalid(`Invalid ${field} "${name}": it must satisfy [0-9a-zA-Z-_.]{1,64}.`)
}
