import { invalid } from '../errors.ts'
import type { Registry } from '../registry.ts'

/** One REST call, its path already matched. */
export interface Call {
  readonly name: string
  readonly query: URLSearchParams
  readonly body: unknown
}

/** One operation: reads the call, acts, and returns the answer as JSON. */
export type Operation = (registry: Registry, call: Call) => Record<string, unknown>

/** Cuts one page out of a list sorted by key. @throws SchedulerError ValidationException for a MaxResults out of range */
export function cutPage<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  query: URLSearchParams,
): { page: T[]; NextToken?: string } {
  const max = Number(query.get('MaxResults') ?? 100)
  if (!Number.isInteger(max) || max < 1 || max > 100) throw invalid('MaxResults must be between 1 and 100.')
  const after = Buffer.from(query.get('NextToken') ?? '', 'base64url').toString()
  const rest = items.filter((item) => keyOf(item) > after).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const page = rest.slice(0, max)
  const last = page.at(-1)
  const hasMore = last !== undefined && rest.length > page.length
  return { page, ...(hasMore && { NextToken: Buffer.from(keyOf(last)).toString('base64url') }) }
}
