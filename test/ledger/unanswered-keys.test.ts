import { BatchGetCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { mockClient } from 'aws-sdk-client-mock'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { readRows } from '../../modules/ledger/read/queries.ts'
import { isUnavailable } from '../../modules/runtime/is-unavailable.ts'
import { openTestLedger } from '../support/ledger.ts'

const { ledger, table } = await openTestLedger()
const dynamodb = mockClient(DynamoDBDocumentClient)
const key = { pk: 'ORDER#O-1', sk: 'ORDER' }
const left = { Responses: {}, UnprocessedKeys: { [table]: { Keys: [key] } } }
beforeEach(() => dynamodb.reset())
afterAll(() => dynamodb.restore())

it('keys that a throttled read left out are asked for again, and those alone', async () => {
  dynamodb.on(BatchGetCommand).resolvesOnce(left).resolves({ Responses: {} })

  await readRows(ledger, [key, { ...key, sk: 'J#000001' }])

  const asked = dynamodb.commandCalls(BatchGetCommand).map(({ args }) => args[0].input.RequestItems?.[table]?.Keys)
  expect(asked.map((keys) => keys?.length)).toEqual([2, 1])
})

it('keys that stay unanswered are unavailability and no bug', async () => {
  dynamodb.on(BatchGetCommand).resolves(left)

  const error = await readRows(ledger, [key]).catch((reason: unknown) => reason)

  expect(isUnavailable(error)).toBe(true)
  expect(dynamodb.commandCalls(BatchGetCommand)).toHaveLength(5)
})
