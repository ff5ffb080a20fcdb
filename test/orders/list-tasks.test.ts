import { describe, expect, it } from 'vitest'
import { plusMs } from '../../modules/core/instant.ts'
import { writeCursor } from '../../modules/http-api/cursor.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { taskNoOf } from '../../modules/ledger/table/names.ts'
import { claimWrites, planClaim } from '../../modules/ledger/task/claim-task.ts'
import { sure } from '../support/core-builders.ts'
import { openTestLedger } from '../support/ledger.ts'
import { rawUpdate } from '../support/raw-writes.ts'
import { aFreshOrderNo, anOrderBody, fieldsOf, NOW, openOrdersApi } from './orders-api.ts'
import { listAll, listTasks, putTickets, putWaiting, setTask, taskOf } from './tasks-setup.ts'

const { ledger } = await openTestLedger()
const api = openOrdersApi(ledger)

/** Lanes keep the tests of this file apart: each lists a lane of its own. */
let lanes = 0
const aFreshLane = () => `lane-${++lanes}`

async function aPayingOrder() {
  const orderNo = aFreshOrderNo()
  await api.put(orderNo, anOrderBody())
  await api.pay(orderNo, { channel: 'alipay' })
  return orderNo
}

describe('tasks of a status', () => {
  it.each([1, 2, 7, 100])('come oldest first, each once, in pages of %d', async (limit) => {
    const lane = aFreshLane()
    const numbers = await putTickets(ledger, lane, 15)

    const found = await listAll(api, { status: 'MANUAL', lane, limit: String(limit) })

    expect(found.map(({ orderNo }) => orderNo)).toEqual(numbers)
    expect(found.every(({ status, attempts }) => status === 'MANUAL' && attempts === undefined)).toBe(true)
  })

  it('are not skipped when those of earlier pages leave the list', async () => {
    const lane = aFreshLane()
    const numbers = await putTickets(ledger, lane, 9)
    const leaving = [...numbers]

    const found = await listAll(api, { status: 'MANUAL', lane, limit: '2' }, async () => {
      for (const orderNo of leaving.splice(0, 2)) {
        await setTask(ledger, orderNo, 'CLOSE_ATTEMPT', `${lane}/${orderNo}`, { status: 'CLOSED' })
      }
    })

    expect(found.map(({ orderNo }) => orderNo)).toEqual(numbers)
  })

  it('that moved on are left out, whatever the index still says', async () => {
    const lane = aFreshLane()
    const numbers = await putTickets(ledger, lane, 3)
    const moved = sure(numbers[0])
    const task = await taskOf(ledger, moved, 'CLOSE_ATTEMPT', `${lane}/${moved}`)
    const key = { pk: task.pk, sk: task.sk }
    await commit(ledger, [rawUpdate(key, { set: { status: 'PROCESSING' } })], NOW)

    const { tasks } = await listTasks(api, { status: 'MANUAL', lane })

    expect(tasks.map(({ orderNo }) => orderNo)).toEqual(numbers.slice(1))
  })

  it('are found by channel in its own lane and in ours', async () => {
    const orderNo = await aPayingOrder()
    await setTask(ledger, orderNo, 'QUERY_PAYMENT', `alipay/${orderNo}`, { status: 'RETRY' })
    await putWaiting(ledger, orderNo, 'SETTLE_CALLBACK', `alipay/${orderNo}`)
    await setTask(ledger, orderNo, 'SETTLE_CALLBACK', `alipay/${orderNo}`, { status: 'RETRY', channel: 'alipay' })
    await putWaiting(ledger, orderNo, 'SETTLE_CALLBACK', `stripe/${orderNo}`)
    await setTask(ledger, orderNo, 'SETTLE_CALLBACK', `stripe/${orderNo}`, { status: 'RETRY', channel: 'stripe' })

    const byChannel = await listAll(api, { status: 'RETRY', channel: 'alipay', limit: '1' })
    const byLane = await listAll(api, { status: 'RETRY', lane: 'internal' })
    const all = await listAll(api, { status: 'RETRY' })

    const ours = (tasks: typeof all) =>
      tasks.filter((task) => task.orderNo === orderNo).map(({ bizNo, lane }) => [bizNo, lane])
    expect(ours(byChannel).sort()).toEqual([
      [`alipay/${orderNo}`, 'alipay'],
      [`alipay/${orderNo}`, 'internal'],
    ])
    expect(
      ours(byLane)
        .map(([bizNo]) => bizNo)
        .sort(),
    ).toEqual([`alipay/${orderNo}`, `stripe/${orderNo}`])
    expect(ours(all)).toHaveLength(3)
  })

  it('of a lane that has none are an empty page without a next', async () => {
    expect(await listTasks(api, { status: 'RETRY', lane: 'nobody' })).toEqual({ tasks: [] })
  })
})

describe('tasks of an order', () => {
  it('come with their executions, in pages of the same order', async () => {
    const orderNo = await aPayingOrder()
    const task = await taskOf(ledger, orderNo, 'QUERY_PAYMENT', `alipay/${orderNo}`)
    const now = plusMs(NOW, 60_000)
    const attempt = { target: 'https://channel.test', idempotencyKey: task.idempotencyKey }
    await commit(
      ledger,
      claimWrites({ task: task, effectOn: undefined }, planClaim(task, 'worker-1', 120_000, now), attempt, now),
      now,
    )

    const whole = await listAll(api, { orderNo })
    const paged = await listAll(api, { orderNo, limit: '1' })

    expect(whole.map(({ bizType, attempts }) => [bizType, attempts?.length]).sort()).toEqual([
      ['CLOSE_ORDER', 0],
      ['QUERY_PAYMENT', 1],
    ])
    expect(paged).toEqual(whole)
  })

  it('are narrowed to one by its number', async () => {
    const orderNo = await aPayingOrder()
    const taskNo = taskNoOf('CLOSE_ORDER', orderNo)

    const { tasks } = await listTasks(api, { orderNo, taskNo })

    expect(tasks).toMatchObject([{ taskNo, bizType: 'CLOSE_ORDER', orderNo, attempts: [] }])
  })

  it('that was not created are those that wait for it', async () => {
    const orderNo = aFreshOrderNo()
    await putWaiting(ledger, orderNo, 'SETTLE_CALLBACK', `alipay/${orderNo}`)

    expect((await listTasks(api, { orderNo })).tasks).toMatchObject([{ bizType: 'SETTLE_CALLBACK' }])
    expect((await listTasks(api, { orderNo: aFreshOrderNo() })).tasks).toEqual([])
  })
})

describe('the task of a business number', () => {
  it('is found where the number leads to its order', async () => {
    const orderNo = await aPayingOrder()
    await putWaiting(ledger, orderNo, 'DELIVER', `${orderNo}/1`)

    for (const [bizType, bizNo] of [
      ['CLOSE_ORDER', orderNo],
      ['QUERY_PAYMENT', `alipay/${orderNo}`],
      ['DELIVER', `${orderNo}/1`],
    ] as const) {
      const { tasks } = await listTasks(api, { bizType, bizNo })

      expect(tasks, bizType).toMatchObject([{ bizType, bizNo, orderNo, attempts: [] }])
    }
  })

  it('needs the order where the number does not', async () => {
    const orderNo = await aPayingOrder()
    await putWaiting(ledger, orderNo, 'SETTLE_CALLBACK', 'alipay/event-1')
    const query = { bizType: 'SETTLE_CALLBACK', bizNo: 'alipay/event-1' }

    const without = await api.send('GET /tasks', { query })
    const { tasks } = await listTasks(api, { ...query, orderNo })

    expect(without.status).toBe(422)
    expect(fieldsOf(without)).toEqual(['orderNo'])
    expect(tasks).toMatchObject([query])
  })

  it.each([
    ['QUERY_PAYMENT', 'alipay/NOBODY-KNOWS-1'],
    ['QUERY_PAYMENT', 'no-slash'],
    ['QUERY_PAYMENT', '///'],
    ['REFUND', 'R1'],
    ['QUERY_REFUND', `R${'A'.repeat(25)}`],
    ['DELIVER', '/'],
  ])('that leads nowhere has none: %s %s', async (bizType, bizNo) => {
    expect(await listTasks(api, { bizType, bizNo })).toEqual({ tasks: [] })
  })
})

describe('a query', () => {
  const taskNo = taskNoOf('CLOSE_ORDER', 'ORDER-1')
  it.each<[string[], Record<string, string>]>([
    [['status'], {}],
    [['status'], { limit: '5' }],
    [['status'], { status: 'WAITING' }],
    [['status'], { status: 'MANUAL,RETRY' }],
    [['status'], { status: 'MANUAL', orderNo: 'ORDER-1' }],
    [['status'], { status: 'RETRY', bizType: 'DELIVER', bizNo: 'x' }],
    [['lane'], { orderNo: 'ORDER-1', lane: 'internal' }],
    [['channel'], { bizType: 'DELIVER', bizNo: 'ORDER-1/1', channel: 'alipay' }],
    [['lane'], { status: 'MANUAL', lane: 'T#x' }],
    [['channel'], { status: 'MANUAL', channel: 'ALIPAY' }],
    [['bizNo'], { bizType: 'DELIVER' }],
    [['bizType'], { bizNo: 'ORDER-1/1' }],
    [['bizType'], { bizType: 'PAY', bizNo: 'x' }],
    [['bizNo'], { bizType: 'DELIVER', bizNo: '' }],
    [['bizNo'], { bizType: 'DELIVER', bizNo: 'x'.repeat(301) }],
    [['orderNo'], { taskNo }],
    [['taskNo'], { orderNo: 'ORDER-1', taskNo: 'lower' }],
    [['taskNo'], { orderNo: 'ORDER-1', taskNo, bizType: 'DELIVER', bizNo: 'ORDER-1/1' }],
    [['orderNo'], { orderNo: 'a#b' }],
    [['limit'], { orderNo: 'ORDER-1', limit: '101' }],
    [['limit'], { orderNo: 'ORDER-1', limit: '1e1' }],
    [['bizNo'], { bizType: 'CLOSE_ORDER', bizNo: '卡' }],
    [['bizNo'], { bizType: 'CLOSE_ORDER', bizNo: 'a\u0000' }],
    [['cursor'], { bizType: 'DELIVER', bizNo: 'ORDER-1/1', cursor: 'x' }],
  ])('is refused by the name of %s: %o', async (fields, query) => {
    const answer = await api.send('GET /tasks', { query })

    expect(answer.status).toBe(422)
    expect(answer.body['code']).toBe('VALIDATION_FAILED')
    expect(fieldsOf(answer)).toEqual(fields)
  })

  it.each([
    ['no cursor at all', 'x'],
    ['of another status', writeCursor('tasks/RETRY/internal/', `${NOW}#${taskNo}`)],
    ['of an order', writeCursor('ORDER-1', 'TASK#x')],
    ['of no such place', writeCursor('tasks/MANUAL/internal/', 'zzz')],
    ['with more behind it', `${writeCursor('tasks/MANUAL/internal/', `${NOW}#${taskNo}`)}AA`],
  ])('with a cursor %s is refused', async (_, cursor) => {
    const answer = await api.send('GET /tasks', { query: { status: 'MANUAL', lane: 'internal', cursor } })

    expect(answer.status).toBe(422)
    expect(fieldsOf(answer)).toEqual(['cursor'])
  })
})
