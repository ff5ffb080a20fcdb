import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { openStreamApi } from '../../local/engines/dynamodb/stream-api.ts'
import { localDynamodb } from '../../local/host/local-client.ts'
import type { LocalStack } from '../../local/host/stack.ts'
import { busFaults } from '../../local/world/invariants/bus-faults.ts'
import { readLedger } from '../../local/world/invariants/read-ledger.ts'
import { openDeps } from '../../ops/deps.ts'
import { localTargetAt } from '../../ops/doctor/target.ts'
import { runOps } from '../../ops/run-ops.ts'
import { openJourney } from '../support/journey.ts'
import { queueName } from '../support/journey-queues.ts'

const { stack, minutes, putOrder, pay, file, busEvents } = await openJourney()

const ALL = ['WAIT_PAY', 'PAID', 'DELIVERED']
const toldOf = (orderNo: string) => busEvents(orderNo).map(({ to }) => to)
const idsOf = (orderNo: string) => busEvents(orderNo).map(({ id }) => id)

it('changes of an order that was paid while the bus was down reach it when it is back, each once', async () => {
  stack.eventBridge.setMode('down')
  await putOrder('PAID-IN-THE-DARK')
  await pay({ outTradeNo: 'PAID-IN-THE-DARK', txn: 'dark-1' })
  const during = toldOf('PAID-IN-THE-DARK')
  stack.eventBridge.setMode('ok')

  await minutes(3)

  const { order, journal } = await file('PAID-IN-THE-DARK')
  expect(during).toEqual([])
  expect(order.status).toBe('DELIVERED')
  expect(toldOf('PAID-IN-THE-DARK').toSorted()).toEqual(ALL.toSorted())
  expect(idsOf('PAID-IN-THE-DARK').toSorted()).toEqual(
    journal.map(({ orderRevision }) => `PAID-IN-THE-DARK/${orderRevision}`).toSorted(),
  )
})

it('the changes behind one that the bus does not take wait for nobody', async () => {
  stack.eventBridge.setMode('refusing')
  await putOrder('REFUSED')
  await stack.idle()
  stack.eventBridge.setMode('ok')

  await putOrder('BEHIND')
  await pay({ outTradeNo: 'BEHIND', txn: 'behind-1' })

  expect(toldOf('REFUSED')).toEqual([])
  expect(toldOf('BEHIND')).toEqual(ALL)
  await minutes(3)
  expect(toldOf('REFUSED')).toEqual(['WAIT_PAY'])
})

it('an outage of hours loses no change, gives up on none and blocks nobody`s payment', async () => {
  stack.eventBridge.setMode('down')
  await putOrder('LONG-DARK', { closeAt: new Date(stack.clock.now() + 10 * 3_600_000).toISOString() })
  await minutes(150)
  await pay({ outTradeNo: 'LONG-DARK', txn: 'long-1' })
  const during = await file('LONG-DARK')
  stack.eventBridge.setMode('ok')

  await minutes(65)

  expect(during.order.status).toBe('DELIVERED')
  expect(toldOf('LONG-DARK').toSorted()).toEqual(ALL.toSorted())
  expect(new Set(idsOf('LONG-DARK')).size).toBe(ALL.length)
})

it('a change that no function was ever called for is brought to the bus by a redrive of what Lambda noted', async () => {
  stack.eventBridge.setMode('refusing')
  await putOrder('NEVER-HANDLED')
  await stack.idle()
  stack.eventBridge.setMode('ok')
  await forgetMarks('NEVER-HANDLED')
  await minutes(5)
  const before = toldOf('NEVER-HANDLED')
  await noteAsLost('NEVER-HANDLED')

  const printed: string[] = []
  const code = await runOps(
    openDeps(localTargetAt({ ...stack, outputs: outputsOf(stack) })),
    { name: 'redrive', queue: 'PublishReaderFailures', dryRun: false, ratePerS: 100 },
    false,
    (line) => printed.push(line),
  )
  await minutes(2)

  expect(before).toEqual([])
  expect([code, printed[0]]).toEqual([
    0,
    expect.stringContaining('changes marked as due now, for the sweep to bring to the bus: 1 '),
  ])
  expect(toldOf('NEVER-HANDLED')).toEqual(['WAIT_PAY'])
})

it('at the end the bus has every change of every order, and no row is marked', async () => {
  await minutes(65)
  const rows = await readLedger(stack)
  const told = stack.eventBridge.list({ limit: 10_000 }).map(({ event }) => event.detail)

  expect(told.length).toBeGreaterThan(9)
  expect(busFaults(rows, told)).toEqual([])
  expect(rows.filter((row) => row.et === 'JOURNAL' && row.duePk !== undefined)).toEqual([])
})

/** As if nobody had handled the order's records: its journal rows stand as they were written. */
async function forgetMarks(orderNo: string): Promise<void> {
  const client = DynamoDBDocumentClient.from(localDynamodb(stack.dynamodbEndpoint))
  const rows = (await readLedger(stack)).filter((row) => row.et === 'JOURNAL' && row.orderNo === orderNo)
  for (const { pk, sk } of rows) {
    await client.send(
      new UpdateCommand({
        TableName: stack.resolve('Ledger/Table'),
        Key: { pk, sk },
        UpdateExpression: 'REMOVE duePk, dueAt, publishTries',
      }),
    )
  }
  client.destroy()
}

/** Lambda's note that it gave up the record of the order's first change. */
async function noteAsLost(orderNo: string): Promise<void> {
  const api = openStreamApi(stack.dynamodbEndpoint, { accessKeyId: 'local', region: 'us-east-1' })
  const shard = await api.findShard(stack.resolve('Ledger/Table'))
  const { records } = await api.page(await api.iterate(shard, undefined), 1000)
  const lost = records.find(
    ({ eventName, dynamodb: { NewImage: image } }) =>
      eventName === 'INSERT' && image?.['et']?.S === 'JOURNAL' && image['orderNo']?.S === orderNo,
  )
  const number = lost?.dynamodb.SequenceNumber
  const body = JSON.stringify({
    DDBStreamBatchInfo: {
      ...shard,
      startSequenceNumber: number,
      endSequenceNumber: number,
      approximateArrivalOfFirstRecord: '2026-03-01T01:00:00Z',
      approximateArrivalOfLastRecord: '2026-03-01T01:00:00Z',
    },
  })
  await stack.sqs.send(queueName(stack, 'Publish/Reader/Failures/Queue'), { body })
}

const outputsOf = ({ outputs }: LocalStack): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(outputs).map(([key, value]) => [key, String(value)]))
