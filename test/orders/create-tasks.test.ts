import { describe, expect, it } from 'vitest'
import { commit } from '../../modules/ledger/table/commit.ts'
import { rowExists } from '../../modules/ledger/table/conditions.ts'
import { duePkOf, orderPk } from '../../modules/ledger/table/keys.ts'
import { taskNoOf } from '../../modules/ledger/table/names.ts'
import { drop } from '../../modules/ledger/table/writes.ts'
import { openTestLedger } from '../support/ledger.ts'
import { readCollectionRows } from '../support/ledger-rows.ts'
import { losingFirstAnswer } from '../support/stock-builders.ts'
import { aFreshOrderNo, anOrderBody, fieldsOf, NOW, openOrdersApi } from './orders-api.ts'
import { askTask, setTask, soon, taskOf } from './tasks-setup.ts'

const { ledger } = await openTestLedger()
const api = openOrdersApi(ledger)

async function aPayingOrder() {
  const orderNo = aFreshOrderNo()
  await api.put(orderNo, anOrderBody())
  await api.pay(orderNo, { channel: 'alipay' })
  const query = { bizType: 'QUERY_PAYMENT', orderNo, channel: 'alipay', outTradeNo: orderNo } as const
  return { orderNo, query, bizNo: `alipay/${orderNo}` }
}

/** Takes a task's row away, as if nobody had ever put it. */
async function forget(orderNo: ReturnType<typeof aFreshOrderNo>, sk: string) {
  await commit(ledger, [drop({ pk: orderPk(orderNo), sk }, rowExists)], NOW)
}

describe('a task that is asked for', () => {
  it('and waits is done now', async () => {
    const { orderNo, query, bizNo } = await aPayingOrder()
    const before = await taskOf(ledger, orderNo, 'QUERY_PAYMENT', bizNo)

    const answer = await askTask(api, query)

    const after = await taskOf(ledger, orderNo, 'QUERY_PAYMENT', bizNo)
    expect(answer.status).toBe(202)
    expect(answer.body).toMatchObject({
      taskNo: after.taskNo,
      status: 'WAITING',
      nextExecuteAt: NOW,
      revision: after.rev,
    })
    expect(before.nextExecuteAt).toBe(soon(5))
    expect(after).toMatchObject({
      status: 'WAITING',
      nextExecuteAt: NOW,
      wake: NOW,
      dueAt: soon(150),
      retryCount: before.retryCount,
      deadlineAt: before.deadlineAt,
      requestSnapshot: { wokenBy: 'shop', wokenAt: NOW },
    })
  })

  it('and is to be tried again is tried now, and stays in the list', async () => {
    const { orderNo, query, bizNo } = await aPayingOrder()
    const set = { status: 'RETRY', retryCount: 3, nextExecuteAt: soon(600), wake: soon(600) } as const
    await setTask(ledger, orderNo, 'QUERY_PAYMENT', bizNo, set)

    await askTask(api, query)

    const after = await taskOf(ledger, orderNo, 'QUERY_PAYMENT', bizNo)
    expect(after).toMatchObject({ status: 'RETRY', retryCount: 3, nextExecuteAt: NOW, wake: NOW })
    expect(after.findPk).toMatch(/^T#RETRY#alipay#/)
  })

  it('gets a trigger also where its last one had the very same time', async () => {
    const { orderNo, query, bizNo } = await aPayingOrder()
    const set = { status: 'WAITING', nextExecuteAt: soon(600), wake: NOW } as const
    await setTask(ledger, orderNo, 'QUERY_PAYMENT', bizNo, set)

    await askTask(api, query)

    expect((await taskOf(ledger, orderNo, 'QUERY_PAYMENT', bizNo)).wake).toBe('2026-03-01T08:00:00.001Z')
  })

  it('twice is woken once', async () => {
    const { orderNo, query } = await aPayingOrder()

    const first = await askTask(api, query)
    const rows = await readCollectionRows(ledger, orderPk(orderNo))
    const again = await askTask(api, query)

    expect(again.status).toBe(202)
    expect(again.text).toBe(first.text)
    expect(await readCollectionRows(ledger, orderPk(orderNo))).toEqual(rows)
  })

  it('by several at once is woken once', async () => {
    const { orderNo, query, bizNo } = await aPayingOrder()

    const answers = await Promise.all(Array.from({ length: 5 }, () => askTask(api, query)))

    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202])
    expect(await taskOf(ledger, orderNo, 'QUERY_PAYMENT', bizNo)).toMatchObject({ nextExecuteAt: NOW, rev: 2 })
  })

  it.each(['QUERY_PAYMENT', 'CLOSE_ORDER'] as const)('and is not there is started: %s', async (bizType) => {
    const { orderNo, query, bizNo } = await aPayingOrder()
    const body = bizType === 'CLOSE_ORDER' ? { bizType, orderNo } : query
    const number = bizType === 'CLOSE_ORDER' ? orderNo : bizNo
    await forget(orderNo, (await taskOf(ledger, orderNo, bizType, number)).sk)

    const answers = await Promise.all([askTask(api, body), askTask(api, body), askTask(api, body)])

    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await taskOf(ledger, orderNo, bizType, number)).toMatchObject({
      taskNo: taskNoOf(bizType, number),
      source: 'MANUAL',
      status: 'WAITING',
      nextExecuteAt: NOW,
      wake: NOW,
      duePk: duePkOf(orderPk(orderNo)),
      rev: 1,
      requestSnapshot: { askedBy: 'shop', askedAt: NOW },
    })
  })

  it('and whose answer was lost is the same when it is asked for again', async () => {
    const { orderNo, query, bizNo } = await aPayingOrder()
    await forget(orderNo, (await taskOf(ledger, orderNo, 'QUERY_PAYMENT', bizNo)).sk)

    const first = await askTask(openOrdersApi(losingFirstAnswer(ledger)), query)
    const again = await askTask(api, query)

    expect([first.status, again.status]).toEqual([503, 202])
    expect((await taskOf(ledger, orderNo, 'QUERY_PAYMENT', bizNo)).rev).toBe(1)
  })

  it('and is in work stays as it is', async () => {
    const { orderNo, query, bizNo } = await aPayingOrder()
    await setTask(ledger, orderNo, 'QUERY_PAYMENT', bizNo, { status: 'PROCESSING', lockedBy: 'worker-1' })
    const rows = await readCollectionRows(ledger, orderPk(orderNo))

    const answer = await askTask(api, query)

    expect(answer.status).toBe(202)
    expect(answer.body['status']).toBe('PROCESSING')
    expect(await readCollectionRows(ledger, orderPk(orderNo))).toEqual(rows)
  })

  it.each([
    ['SUCCESS', 'TASK_ENDED'],
    ['CLOSED', 'TASK_ENDED'],
    ['MANUAL', 'TASK_MANUAL'],
  ] as const)('and is %s is refused with its state: %s', async (status, code) => {
    const { orderNo, query, bizNo } = await aPayingOrder()
    await setTask(ledger, orderNo, 'QUERY_PAYMENT', bizNo, { status })
    await setTask(ledger, orderNo, 'CLOSE_ORDER', orderNo, { status })
    const rows = await readCollectionRows(ledger, orderPk(orderNo))

    const answers = [await askTask(api, query), await askTask(api, { bizType: 'CLOSE_ORDER', orderNo })]

    for (const answer of answers) expect(answer).toMatchObject({ status: 409, body: { code, taskStatus: status } })
    expect(await readCollectionRows(ledger, orderPk(orderNo))).toEqual(rows)
  })

  it('for an order or a try that is not there is answered 404', async () => {
    const { orderNo, query } = await aPayingOrder()
    const nobody = aFreshOrderNo()

    const answers = [
      await askTask(api, { bizType: 'CLOSE_ORDER', orderNo: nobody }),
      await askTask(api, { ...query, orderNo: nobody }),
      await askTask(api, { ...query, channel: 'stripe' }),
      await askTask(api, { ...query, outTradeNo: `${orderNo}_2` }),
    ]

    expect(answers.map(({ status, body }) => [status, body['code']])).toEqual([
      [404, 'ORDER_NOT_FOUND'],
      [404, 'ORDER_NOT_FOUND'],
      [404, 'PAY_ATTEMPT_NOT_FOUND'],
      [404, 'PAY_ATTEMPT_NOT_FOUND'],
    ])
    expect(await readCollectionRows(ledger, orderPk(nobody))).toEqual([])
  })

  it.each([
    'REFUND',
    'DELIVER',
    'CLOSE_ATTEMPT',
    'REVIEW',
    'START_EXECUTION',
    'query_payment',
    7,
    null,
    ['QUERY_PAYMENT'],
  ])('of a type that is not the merchant’s to start is refused: %j', async (bizType) => {
    const { orderNo, query } = await aPayingOrder()
    const rows = await readCollectionRows(ledger, orderPk(orderNo))

    const answer = await askTask(api, { ...query, bizType, refundNo: 'R1', amount: 1 })

    expect(answer.status).toBe(422)
    expect(fieldsOf(answer)).toEqual(['bizType'])
    expect(await readCollectionRows(ledger, orderPk(orderNo))).toEqual(rows)
  })
})
