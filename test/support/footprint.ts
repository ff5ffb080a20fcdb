import { z } from 'zod'

/** Something that a call reads or writes: a row, or without `sk` a whole collection. */
export interface Touch {
  readonly pk: string
  readonly sk?: string
  readonly writes: boolean
}

/** Whether two calls come to the same in either order: neither writes what the other one reads or writes. */
export function commute(one: readonly Touch[], other: readonly Touch[]): boolean {
  return !one.some((mine) => other.some((its) => (mine.writes || its.writes) && overlap(mine, its)))
}

function overlap(one: Touch, other: Touch): boolean {
  return one.pk === other.pk && (one.sk === undefined || other.sk === undefined || one.sk === other.sk)
}

const key = z.object({ pk: z.string(), sk: z.string() })
const keyed = z.object({ Key: key })
const written = z.union([keyed.transform(({ Key }) => Key), z.object({ Item: key }).transform(({ Item }) => Item)])

const transaction = z.object({
  TransactItems: z.array(
    z.strictObject({
      Put: written.optional(),
      Update: written.optional(),
      Delete: written.optional(),
      ConditionCheck: keyed.optional(),
    }),
  ),
})
const batch = z.object({ RequestItems: z.record(z.string(), z.object({ Keys: z.array(key) })) })
/** The table itself, not an index, and one collection. */
const query = z.object({
  IndexName: z.undefined().optional(),
  KeyConditionExpression: z.string().startsWith('pk = :pk'),
  ExpressionAttributeValues: z.looseObject({ ':pk': z.string() }),
})

/**
 * What a call to the ledger touches. One that a condition refused has only read.
 * @param input of the command, not yet marshalled
 * @throws Error for a command whose footprint is not known: guessing would leave out orders
 */
export function footprintOf(command: string, input: unknown, isRefused: boolean): readonly Touch[] {
  switch (command) {
    case 'BatchGetItemCommand':
      return Object.values(batch.parse(input).RequestItems).flatMap(({ Keys }) => Keys.map((row) => touch(row, false)))
    case 'QueryCommand':
      return [{ pk: query.parse(input).ExpressionAttributeValues[':pk'], writes: false }]
    case 'UpdateItemCommand':
      return [touch(keyed.parse(input).Key, !isRefused)]
    case 'TransactWriteItemsCommand':
      return transaction
        .parse(input)
        .TransactItems.flatMap(({ ConditionCheck, Put, Update, Delete }) => [
          ...(ConditionCheck === undefined ? [] : [touch(ConditionCheck.Key, false)]),
          ...[Put, Update, Delete].filter((row) => row !== undefined).map((row) => touch(row, !isRefused)),
        ])
    default:
      throw new Error(`What ${command} touches is not known here.`)
  }
}

/** Which of a pool's free codes is taken is left to chance, so a code stands for its whole pool. */
function touch({ pk, sk }: z.output<typeof key>, writes: boolean): Touch {
  return pk.startsWith('CODE#') ? { pk, writes } : { pk, sk, writes }
}
