import { z } from 'zod'
import { TemplateError } from './errors.ts'
import type { ResolvedResource } from './resolve-template.ts'

/** Reads a resource's properties by a schema. @throws TemplateError that names the logical id and the property */
export function readProperties<Schema extends z.ZodType>(resource: ResolvedResource, schema: Schema): z.output<Schema> {
  const parsed = schema.safeParse(resource.properties)
  if (parsed.success) return parsed.data
  throw new TemplateError(`${resource.logicalId} (${resource.type}): ${z.prettifyError(parsed.error)}`)
}
