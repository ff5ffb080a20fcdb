import type { z } from 'zod'
import { ProblemError } from './problem.ts'

/**
 * Reads what a caller sent by its schema; unknown fields pass and are ignored.
 * @throws ProblemError VALIDATION_FAILED with every wrong field
 */
export function readInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const fields = parsed.error.issues.map((issue) => ({ field: nameOf(issue.path), problem: issue.message }))
  const names = [...new Set(fields.map(({ field }) => field))].join(', ')
  throw new ProblemError('VALIDATION_FAILED', `Correct these fields and send the request again: ${names}.`, { fields })
}

/** `['lines', 0, 'sku']` is `lines[0].sku`. */
function nameOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`
    return name === '' ? String(part) : `${name}.${String(part)}`
  }, '')
}
