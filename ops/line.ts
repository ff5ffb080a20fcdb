/**
 * What became of one item.
 * - `done`: changed now · `would do`: a dry run · `shown`: only looked at
 * - `skipped`: needs nothing · `refused`: a person's to decide · `lost`: somebody else was faster · `failed`: look at the reason
 */
export type Result = 'done' | 'would do' | 'shown' | 'skipped' | 'refused' | 'lost' | 'failed'

/** One line of output: one item, what was done with it and why. */
export interface Line {
  readonly result: Result
  /** `requeue`, `redrive`, `gate pause` … */
  readonly action: string
  /** What names the item: ids only, never a body. */
  readonly item: string
  readonly detail?: string
}

/** Who acted, and when the line was written. */
export interface Stamp {
  readonly by: string
  readonly at: string
}

/** @param json one JSON object instead of words */
export function formatLine(line: Line, stamp: Stamp, json: boolean): string {
  if (json) return JSON.stringify({ ...stamp, ...line })
  const { result, action, item, detail } = line
  const words = `${result.padEnd(8)} ${action} ${item}${detail === undefined ? '' : `: ${detail}`}`
  return result === 'done' || result === 'failed' ? `${words} (${stamp.by}, ${stamp.at})` : words
}

/** The closing line: how many items came to what. */
export function formatCount(results: readonly Result[], stamp: Stamp, json: boolean): string {
  const counts = new Map<Result, number>()
  for (const result of results) counts.set(result, (counts.get(result) ?? 0) + 1)
  if (json) return JSON.stringify({ ...stamp, total: results.length, counts: Object.fromEntries(counts) })
  if (results.length === 0) return 'Nothing found.'
  return `${results.length} in all: ${[...counts].map(([result, count]) => `${count} ${result}`).join(', ')}.`
}
