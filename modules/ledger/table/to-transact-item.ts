import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import type { Instant } from '../../core/instant.ts'
import type { Update, Values, Write } from './make-write.ts'

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/** A write as DynamoDB wants it. `rev` and `updatedAt` are set here, so that no write forgets them. */
export function toTransactItem(table: string, write: Write, now: Instant): TransactItem {
  const condition = {
    TableName: table,
    ConditionExpression: write.when.expression,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  }
  const { names, values } = write.when
  switch (write.op) {
    case 'put':
      return {
        Put: { ...condition, ...namesAndValues(names, values), Item: { v: 1, rev: 1, updatedAt: now, ...write.item } },
      }
    case 'update':
      return { Update: toUpdateInput(table, write, now) }
    case 'delete':
      return { Delete: { ...condition, Key: write.key, ...namesAndValues(names, values) } }
    case 'check':
      return { ConditionCheck: { ...condition, Key: write.key, ...namesAndValues(names, values) } }
  }
}

/** An update as DynamoDB wants it, in a transaction or alone. */
export function toUpdateInput(table: string, write: Update, now: Instant) {
  const { expression, names, values } = toExpression(write, now)
  return {
    TableName: table,
    Key: write.key,
    UpdateExpression: expression,
    ConditionExpression: write.when.expression,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    ...namesAndValues({ ...names, ...write.when.names }, { ...values, ...write.when.values }),
  }
}

function namesAndValues(names: Readonly<Record<string, string>>, values: Values) {
  return {
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  }
}

function toExpression(change: Pick<Update, 'set' | 'setOnce' | 'add' | 'remove'>, now: Instant) {
  const set = Object.entries({ ...change.set, updatedAt: now })
  const once = Object.entries(change.setOnce)
  const add = Object.entries({ ...change.add, rev: 1 })
  const names = [...set, ...once, ...add].map(([name]) => name).concat(change.remove)
  const sets = [
    ...set.map(([name]) => `#u_${name} = :u_${name}`),
    ...once.map(([name]) => `#u_${name} = if_not_exists(#u_${name}, :u_${name})`),
  ]
  const adds = add.map(([name]) => `#u_${name} :u_${name}`)
  const removes = change.remove.map((name) => `#u_${name}`)
  return {
    expression: `SET ${sets.join(', ')} ADD ${adds.join(', ')}${removes.length === 0 ? '' : ` REMOVE ${removes.join(', ')}`}`,
    names: Object.fromEntries(names.map((name) => [`#u_${name}`, name])),
    values: Object.fromEntries([...set, ...once, ...add].map(([name, value]) => [`:u_${name}`, value])),
  }
}
