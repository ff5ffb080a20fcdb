import type { z } from 'zod'
import { knownNames, UNKNOWN_NAME } from './known-names.ts'
import { ProblemError } from './problem.ts'

/**
 * Reads what a caller sent by its schema; unknown fields pass and are ignored.
 * @throws ProblemError VALIDATION_FAILED with every wrong field
 */
export function readInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const known = knownNames(schema)
  const fields = parsed.error.issues.map(({ path, message }) => ({ field: nameOf(path, known), problem: message }))
  const names = [...new Set(fields.map(({ field }) => field))].join(', ')
  throw new ProblemError('VALIDATION_FAILED', `Correct these fields and send the request again: ${names}.`, { fields })
}

/** `['lines', 0, 'sku']` is `lines[0].sku`; the caller's own names are not said again: `attributes.*`. */
function nameOf(path: readonly PropertyKey[], known: ReadonlySet<string>): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`
    const said = known.has(String(part)) ? String(part) : UNKNOWN_NAME
    return name === '' ? said : `${name}.${said}`
  }, '')
}
