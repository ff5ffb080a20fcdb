import { z } from 'zod'
import type { Json, JsonObject } from './json.ts'
import { readProperties } from './read-properties.ts'
import type { ResolvedTemplate } from './resolve-template.ts'

const json: z.ZodType<Json> = z.json()

const targetSchema = z.object({
  Arn: z.string(),
  Id: z.string(),
  Input: z.string().optional(),
  InputPath: z.never().optional(),
  InputTransformer: z.never().optional(),
})
const ruleSchema = z.object({
  EventBusName: z.string().default('default'),
  EventPattern: z.record(z.string(), json).optional(),
  ScheduleExpression: z.string().optional(),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  Targets: z.array(targetSchema).default([]),
})

/** An enabled rule of an event bus: on a schedule, on a pattern, or both. */
export interface RuleSpec {
  logicalId: string
  name: string
  arn: string
  busName: string
  schedule?: string
  pattern?: JsonObject
  targets: { arn: string; id: string; input?: string }[]
}

/** The enabled rules of a template. @throws TemplateError for a target with an input path or transformer */
export function readRules(template: ResolvedTemplate): RuleSpec[] {
  return template.ofType('AWS::Events::Rule').flatMap((resource) => {
    const rule = readProperties(resource, ruleSchema)
    if (rule.State === 'DISABLED') return []
    return [
      {
        logicalId: resource.logicalId,
        name: resource.ref,
        arn: resource.attributes['Arn'] ?? '',
        busName: rule.EventBusName.split('/').at(-1) ?? 'default',
        ...(rule.ScheduleExpression !== undefined && { schedule: rule.ScheduleExpression }),
        ...(rule.EventPattern !== undefined && { pattern: rule.EventPattern }),
        targets: rule.Targets.map((target) => ({
          arn: target.Arn,
          id: target.Id,
          ...(target.Input !== undefined && { input: target.Input }),
        })),
      },
    ]
  })
}
