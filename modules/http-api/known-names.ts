import { z } from 'zod'

/**
 * Every name that a schema knows, at any depth. Only these are said again in a refusal: what else stands where a name should be
 * may be a card code or a person's data that slipped.
 */
export function knownNames(schema: z.ZodType): ReadonlySet<string> {
  const names = new Set<string>()
  collect(schema, names)
  return names
}

/** Stands for a name that no schema knows. */
export const UNKNOWN_NAME = '*'

function collect(schema: unknown, names: Set<string>): void {
  if (schema instanceof z.ZodObject) {
    for (const [name, inner] of Object.entries(schema.shape)) {
      names.add(name)
      collect(inner, names)
    }
  } else if (schema instanceof z.ZodArray) collect(schema.element, names)
  else if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) collect(schema.unwrap(), names)
  else if (schema instanceof z.ZodDefault) collect(schema.unwrap(), names)
  else if (schema instanceof z.ZodUnion) for (const option of schema.options) collect(option, names)
  else if (schema instanceof z.ZodPipe) collect(schema.in, names)
  else if (schema instanceof z.ZodRecord) collect(schema.valueType, names)
}
