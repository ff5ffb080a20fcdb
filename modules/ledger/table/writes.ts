import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import type { Instant } from '../../core/instant.ts'
import type { Condition } from './conditions.ts'
import type { Key } from './keys.ts'

type Values = Readonly<Record<string, unknown>>

/** One item of a transaction, with the condition that must hold and its name. */
export type Write =
  | {
      readonly op: 'put'
      readonly item: Key & Values
      readonly when: Condition
      /** A follow-up that may exist already: the transaction is repeated without it when only this stood in the way. */
      readonly optional?: boolean
    }
  | {
      readonly op: 'update'
      readonly key: Key
      readonly set?: Values
      readonly add?: Readonly<Record<string, number>>
      readonly remove?: readonly string[]
      readonly when: Condition
      readonly optional?: boolean
    }
  /** Only for a row that moves to another collection in the same transaction. */
  | { readonly op: 'delete'; readonly key: Key; readonly when: Condition; readonly optional?: boolean }
  | { readonly op: 'check'; readonly key: Key; readonly when: Condition; readonly optional?: boolean }

/** A write that could also be made alone. */
export type Update = Extract<Write, { op: 'update' }>

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/** A write as DynamoDB wants it. `rev` and `updatedAt` are set here, so that no write forgets them. */
export function toTransactItem(table: string, write: Write, now: Instant): TransactItem {
  const condition = {
    TableName: table,
    ConditionExpression: write.when.expression,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  }
  switch (write.op) {
    case 'put': {
      const item = { v: 1, rev: 1, updatedAt: now, ...write.item }
      return { Put: { ...condition, ...namesAndValues(write.when.names, write.when.values), Item: item } }
    }
    case 'update': {
      const update = toUpdate(write, now)
      return {
        Update: {
          ...condition,
          Key: write.key,
          UpdateExpression: update.expression,
          ...namesAndValues({ ...update.names, ...write.when.names }, { ...update.values, ...write.when.values }),
        },
      }
    }
    case 'delete':
      return { Delete: { ...condition, Key: write.key, ...namesAndValues(write.when.names, write.when.values) } }
    case 'check':
      return {
        ConditionCheck: { ...condition, Key: write.key, ...namesAndValues(write.when.names, write.when.values) },
      }
  }
}

function namesAndValues(names: Readonly<Record<string, string>>, values: Values) {
  return {
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  }
}

/** The UpdateExpression of a change, always with `rev + 1` and `updatedAt`. Shared with single-item updates. */
export function toUpdate(
  change: {
    readonly set?: Values
    readonly add?: Readonly<Record<string, number>>
    readonly remove?: readonly string[]
  },
  now: Instant,
): { readonly expression: string; readonly names: Record<string, string>; readonly values: Record<string, unknown> } {
  const set = Object.entries({ ...change.set, updatedAt: now }).filter(([, value]) => value !== undefined)
  const add = Object.entries({ ...change.add, rev: 1 })
  const remove = change.remove ?? []
  const all = [...set.map(([name]) => name), ...add.map(([name]) => name), ...remove]
  const removed = remove.length === 0 ? '' : ` REMOVE ${remove.map((name) => `#u_${name}`).join(', ')}`
  return {
    expression: `SET ${set.map(([name]) => `#u_${name} = :u_${name}`).join(', ')} ADD ${add
      .map(([name]) => `#u_${name} :u_${name}`)
      .join(', ')}${removed}`,
    names: Object.fromEntries(all.map((name) => [`#u_${name}`, name])),
    values: Object.fromEntries([...set, ...add].map(([name, value]) => [`:u_${name}`, value])),
  }
}
