import { z } from 'zod'
import { TemplateError } from './errors.ts'
import type { Json, JsonObject } from './json.ts'

const json: z.ZodType<Json> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(json), z.record(z.string(), json)]),
)
const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), json)

const resourceSchema = z.object({
  Type: z.string(),
  Condition: z.string().optional(),
  Properties: jsonObject.default({}),
  Metadata: jsonObject.default({}),
})

const parameterSchema = z.object({
  Type: z.string(),
  Default: z.coerce.string().optional(),
  AllowedPattern: z.string().optional(),
  AllowedValues: z.array(z.coerce.string()).optional(),
  MinLength: z.coerce.number().optional(),
  MaxLength: z.coerce.number().optional(),
  NoEcho: z.coerce.boolean().optional(),
})

const templateSchema = z.object({
  Parameters: z.record(z.string(), parameterSchema).default({}),
  Mappings: jsonObject.default({}),
  Conditions: jsonObject.default({}),
  Resources: z.record(z.string(), resourceSchema),
  Outputs: jsonObject.default({}),
})

/** A CloudFormation template as synthesized, before any function in it is resolved. */
export type Template = z.infer<typeof templateSchema>
export type TemplateParameter = z.infer<typeof parameterSchema>

/** Reads a template from parsed JSON. @throws TemplateError when it is not a CloudFormation template */
export function parseTemplate(document: unknown): Template {
  const parsed = templateSchema.safeParse(document)
  if (parsed.success) return parsed.data
  throw new TemplateError(`This is not a CloudFormation template: ${z.prettifyError(parsed.error)}`)
}
