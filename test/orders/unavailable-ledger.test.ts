import { type DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { mockClient } from 'aws-sdk-client-mock'
import { afterEach, describe, expect, it } from 'vitest'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { openClient, openLedgerOn, openTestLedger } from '../support/ledger.ts'
import { aFreshOrderNo, anOrderBody, openOrdersApi } from './orders-api.ts'

const { ledger, table, endpoint } = await openTestLedger()

const opened: DynamoDBClient[] = []
afterEach(() => {
  for (const client of opened.splice(0)) client.destroy()
})

/** A ledger of its own client, which a test may break. */
function aLedgerOfItsOwn() {
  const client = openClient(endpoint)
  opened.push(client)
  return { client, own: openLedgerOn(client, table) }
}

const anError = (name: string, more: object = {}) => Object.assign(new Error('no'), { name, ...more })

describe('a ledger that does not answer', () => {
  it.each([
    anError('TimeoutError'),
    anError('ThrottlingException'),
    anError('ProvisionedThroughputExceededException'),
    anError('Error', { code: 'ECONNREFUSED' }),
    anError('InternalServerError', { $fault: 'server' }),
  ])('is a 503 that says when to come again: %s', async (error) => {
    const { own } = aLedgerOfItsOwn()
    mockClient(own.client).onAnyCommand().rejects(error)

    const answer = await openOrdersApi(own).put(aFreshOrderNo(), anOrderBody())

    expect(answer.status).toBe(503)
    expect(answer.body['code']).toBe('LEDGER_UNAVAILABLE')
    expect(answer.headers['retry-after']).toBe('2')
  })

  it('may have written: the same request again is answered 200', async () => {
    const { client, own } = aLedgerOfItsOwn()
    const orderNo = aFreshOrderNo()
    client.middlewareStack.add(
      (next, context) => async (args) => {
        const answer = await next(args)
        if (context.commandName === 'TransactWriteItemsCommand') throw anError('TimeoutError')
        return answer
      },
      { step: 'deserialize', priority: 'low' },
    )

    const lost = await openOrdersApi(own).put(orderNo, anOrderBody())
    const again = await openOrdersApi(ledger).put(orderNo, anOrderBody())

    expect([lost.status, again.status]).toEqual([503, 200])
    expect((await readOrderFile(ledger, orderNo)).journal).toHaveLength(1)
  })
})

describe('a failure that no retry cures', () => {
  it.each([anError('AccessDeniedException', { $fault: 'client' }), anError('TypeError')])(
    'is a 500 that names the request and not the cause: %s',
    async (error) => {
      const { own } = aLedgerOfItsOwn()
      mockClient(own.client).onAnyCommand().rejects(error)

      const answer = await openOrdersApi(own).put(aFreshOrderNo(), anOrderBody())

      expect(answer.status).toBe(500)
      expect(answer.body).toMatchObject({ code: 'INTERNAL', detail: expect.stringContaining('request-1') })
      expect(answer.text).not.toContain(error.name)
    },
  )
})

describe('an order that others keep changing', () => {
  it.each([
    ['lost', 'ConditionalCheckFailed'],
    ['conflict', 'TransactionConflict'],
  ])('is a 503 after some rounds: %s', async (_, Code) => {
    const { client, own } = aLedgerOfItsOwn()
    let transactions = 0
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (context.commandName !== 'TransactWriteItemsCommand') return next(args)
        transactions++
        throw new TransactionCanceledException({
          message: 'cancelled',
          $metadata: {},
          CancellationReasons: [{ Code }],
        })
      },
      { step: 'initialize' },
    )

    const answer = await openOrdersApi(own).put(aFreshOrderNo(), anOrderBody())

    expect(answer.status).toBe(503)
    expect(answer.body['code']).toBe('ORDER_BUSY')
    expect(answer.headers['retry-after']).toBe('1')
    expect(transactions).toBe(5)
  })
})
