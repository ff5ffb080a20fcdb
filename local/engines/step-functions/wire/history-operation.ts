import { pageSizeOf, readPageToken, requireExecution, type WireContext, writePageToken } from './context.ts'
import type { Input } from './schemas.ts'

/**
 * The events of an execution by their number, or from the newest on.
 * @throws AwsJsonError ExecutionDoesNotExist, InvalidArn, InvalidToken
 */
export function getExecutionHistory(context: WireContext, input: Input<'getExecutionHistory'>): object {
  const { id } = requireExecution(context, input.executionArn)
  const isReverse = input.reverseOrder
  const size = pageSizeOf(input.maxResults)
  const from = readPageToken(input.nextToken) ?? (isReverse ? Number.MAX_SAFE_INTEGER : 0)
  const found = context.store.listEvents(id, from, { limit: size + 1, isReverse })
  const page = found.slice(0, size)
  const last = page.at(-1)
  return {
    events: input.includeExecutionData ? page : page.map(withoutData),
    ...(found.length > size && last !== undefined && { nextToken: writePageToken(last.id) }),
  }
}

const dataFields: ReadonlySet<string> = new Set(['input', 'inputDetails', 'output', 'outputDetails', 'parameters'])

/** An event without what travelled between the states. */
function withoutData(event: object): object {
  const details = Object.entries(event).map(([name, value]) => [
    name,
    typeof value === 'object' && value !== null ? dropData(value) : value,
  ])
  return Object.fromEntries(details)
}

const dropData = (details: object): object =>
  Object.fromEntries(Object.entries(details).filter(([field]) => !dataFields.has(field)))
