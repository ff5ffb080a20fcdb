import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb'

/** A query that DynamoDB refuses and the local engine answers: a bug, found where it is built. */
export class QueryRefusedError extends Error {
  override readonly name = 'QueryRefusedError'
  readonly code = 'QUERY_REFUSED'
}

/**
 * Every query of the ledger goes through here.
 * @throws QueryRefusedError for a consistent read of an index, and for a key condition with an empty text (`begins_with` of nothing)
 * Source: docs/local-engines.md
 */
export function checkedQuery(input: QueryCommandInput): QueryCommandInput {
  if (input.IndexName !== undefined && input.ConsistentRead === true) {
    throw new QueryRefusedError(
      `The index ${input.IndexName} has no consistent reads. Read the base rows for what must be new.`,
    )
  }
  const empty = Object.entries(input.ExpressionAttributeValues ?? {}).find(([, value]) => value === '')
  if (empty !== undefined) throw new QueryRefusedError(`The key condition compares with an empty text, ${empty[0]}.`)
  return input
}
