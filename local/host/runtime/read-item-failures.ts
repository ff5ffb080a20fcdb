import { isObject, type Json } from '../template/json.ts'

/**
 * The failed items of a batch as a function reports them.
 * @returns identifiers out of `known`, or `'all'` for an answer that Lambda does not accept: the whole batch then fails
 * Source: Lambda developer guide, "Implementing partial batch responses": null, {} and an empty list are success
 */
export function readItemFailures(answer: Json, known: ReadonlySet<string>): Set<string> | 'all' {
  if (answer === null) return new Set()
  if (!isObject(answer)) return 'all'
  const failures = answer['batchItemFailures'] ?? null
  if (failures === null) return new Set()
  if (!Array.isArray(failures)) return 'all'
  const identifiers = new Set<string>()
  for (const failure of failures) {
    const identifier = isObject(failure) ? failure['itemIdentifier'] : undefined
    if (typeof identifier !== 'string' || !known.has(identifier)) return 'all'
    identifiers.add(identifier)
  }
  return identifiers
}
