import { expect, it } from 'vitest'
import { checkedQuery } from '../../modules/ledger/table/checked-query.ts'

it('a consistent read of an index is refused before it is sent', () => {
  expect(() => checkedQuery({ TableName: 'T', IndexName: 'due', ConsistentRead: true })).toThrow(/no consistent reads/)
  expect(checkedQuery({ TableName: 'T', IndexName: 'due' })).toMatchObject({ IndexName: 'due' })
  expect(checkedQuery({ TableName: 'T', ConsistentRead: true })).toMatchObject({ ConsistentRead: true })
})

it('begins_with of an empty text is refused before it is sent', () => {
  const query = (prefix: string) => ({
    TableName: 'T',
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': 'ORDER#1', ':prefix': prefix },
  })

  expect(() => checkedQuery(query(''))).toThrow(/:prefix/)
  expect(checkedQuery(query('CODE#'))).toEqual(query('CODE#'))
})
