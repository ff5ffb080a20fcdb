import { describe, expect, it } from 'vitest'
import { bookEvent } from '../../modules/booking/book-event.ts'
import { recordOrphan } from '../../modules/booking/keep-orphan.ts'
import { bizNoOf } from '../../modules/core/biz-no.ts'
import { plusMs } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { callbackKey, recordCallback, setVerdict } from '../../modules/ledger/callback/record-callback.ts'
import { locateOrder } from '../../modules/ledger/read/locate-order.ts'
import { readOrderFile } from '../../modules/ledger/read/queries.ts'
import { commit } from '../../modules/ledger/table/commit.ts'
import { duePkOf, orderPk } from '../../modules/ledger/table/keys.ts'
import { taskNoOf } from '../../modules/ledger/table/names.ts'
import { putTask } from '../../modules/ledger/task/put-task.ts'
import { anOrderNo, anOutTradeNo, aPaymentEvent, aTxn } from '../support/core-builders.ts'
import { openTestLedger } from '../support/ledger.ts'
import { rawUpdate } from '../support/raw-writes.ts'
import { aFreshOrderNo, anOrderBody, NOW, openOrdersApi } from './orders-api.ts'

const { ledger } = await openTestLedger()
const deps = { ledger, policies: bindPolicies({}), notices: new Set<never>(), canAskBack: () => false, now: () => NOW }
const EARLIER = plusMs(NOW, -60_000)

type Order = ReturnType<typeof aFreshOrderNo>

/** A payment of `orderNo` that its channel told us of before the merchant did, and where its callback is kept. */
async function aKeptCallback(orderNo: Order, number = 1) {
  const event = aPaymentEvent({
    outTradeNo: anOutTradeNo(orderNo),
    eventId: `event-${number}-${orderNo}`,
    channelTxnId: aTxn(`txn-${number}-${orderNo}`),
  })
  const record = {
    channel: event.channel,
    eventId: event.eventId,
    receivedAt: EARLIER,
    keyId: 'key-1',
    headers: {},
    bodySha256: 'ab'.repeat(32),
    raw: { gzip: new Uint8Array([1, 2, 3]) },
  }
  const location = await locateOrder(ledger, event)
  await recordCallback(ledger, location.pk, record, EARLIER)
  return { event, location, evidence: callbackKey(location.pk, record), operatorType: 'CALLBACK' as const }
}

async function aParkedCallback(orderNo: Order, number = 1) {
  const kept = await aKeptCallback(orderNo, number)
  const task = putTask(
    {
      pk: kept.location.pk,
      bizType: 'SETTLE_CALLBACK',
      bizNo: bizNoOf('SETTLE_CALLBACK', kept.event),
      orderNo,
      channel: kept.event.channel,
      source: 'CALLBACK',
      at: plusMs(NOW, 20_000),
      requestSnapshot: { callback: kept.evidence.sk, eventId: kept.event.eventId },
    },
    { policies: bindPolicies({}), now: EARLIER },
  )
  await commit(ledger, [task, setVerdict(kept.evidence, 'parked')], EARLIER)
  return kept
}

describe('a callback that waits for the order', () => {
  it('is woken by the order’s creation', async () => {
    const orderNo = aFreshOrderNo()
    const { event } = await aParkedCallback(orderNo)

    const answer = await openOrdersApi(ledger).put(orderNo, anOrderBody())

    expect(answer.status).toBe(201)
    const { tasks } = await readOrderFile(ledger, orderNo)
    expect(tasks.find(({ bizNo }) => bizNo === `alipay/${event.eventId}`)).toMatchObject({
      status: 'WAITING',
      nextExecuteAt: NOW,
      wake: NOW,
      duePk: duePkOf(orderPk(orderNo)),
      dueAt: plusMs(NOW, 150_000),
      rev: 2,
    })
  })

  it('that a worker holds does not keep the order from being created', async () => {
    const orderNo = aFreshOrderNo()
    const { event, location } = await aParkedCallback(orderNo)
    const sk = `TASK#${taskNoOf('SETTLE_CALLBACK', `alipay/${event.eventId}`)}`
    await commit(ledger, [rawUpdate({ pk: location.pk, sk }, { set: { status: 'PROCESSING' } })], NOW)

    const answer = await openOrdersApi(ledger).put(orderNo, anOrderBody())

    expect(answer.status).toBe(201)
    const { tasks } = await readOrderFile(ledger, orderNo)
    expect(tasks.find((task) => task.sk === sk)).toMatchObject({ status: 'PROCESSING', rev: 2 })
  })
})

describe('money that was recorded as an orphan', () => {
  it('is booked again by a task of the order’s creation', async () => {
    const orderNo = aFreshOrderNo()
    const kept = await aKeptCallback(orderNo)
    await recordOrphan(deps, kept)

    const answer = await openOrdersApi(ledger).put(orderNo, anOrderBody())

    expect(answer.status).toBe(201)
    const { tasks } = await readOrderFile(ledger, orderNo)
    const bizNo = `alipay/${kept.event.eventId}/put`
    expect(tasks.find((task) => task.bizNo === bizNo)).toMatchObject({
      taskNo: taskNoOf('SETTLE_CALLBACK', bizNo),
      status: 'WAITING',
      orderNo,
      channel: 'alipay',
      wake: NOW,
      requestSnapshot: { callback: kept.evidence.sk, eventId: kept.event.eventId },
    })
  })

  it('pays the order when that task books it', async () => {
    const orderNo = aFreshOrderNo()
    const kept = await aKeptCallback(orderNo)
    await recordOrphan(deps, kept)
    await openOrdersApi(ledger).put(orderNo, anOrderBody())

    const location = await locateOrder(ledger, kept.event)
    const result = await bookEvent(deps, { ...kept, location })

    expect(result).toEqual({ kind: 'booked', verdict: 'applied' })
    const file = await readOrderFile(ledger, orderNo)
    expect(file.order?.status).toBe('PAID')
    expect(file.payments).toMatchObject([{ role: 'APPLIED', paid: 8800 }])
  })

  it('has a task for each payment, and none for callbacks that are booked', async () => {
    const orderNo = aFreshOrderNo()
    for (const number of [1, 2]) await recordOrphan(deps, await aKeptCallback(orderNo, number))
    const { evidence } = await aKeptCallback(orderNo, 3)
    await commit(ledger, [setVerdict(evidence, 'recorded')], NOW)

    await openOrdersApi(ledger).put(orderNo, anOrderBody())

    const { tasks } = await readOrderFile(ledger, orderNo)
    const settling = tasks.filter(({ bizType }) => bizType === 'SETTLE_CALLBACK').map(({ bizNo }) => bizNo)
    expect(settling.sort()).toEqual([1, 2].map((number) => `alipay/event-${number}-${orderNo}/put`))
  })

  it('more of it than one transaction holds does not keep the order from being created', async () => {
    const orderNo = aFreshOrderNo()
    for (let number = 1; number <= 60; number++) await aParkedCallback(orderNo, number)

    const lines = Array(40).fill({ sku: 'A', quantity: 1 })
    const answer = await openOrdersApi(ledger).put(orderNo, anOrderBody({ lines }))

    expect(answer.status).toBe(201)
    const { tasks } = await readOrderFile(ledger, orderNo)
    expect(tasks.filter(({ wake }) => wake === NOW)).toHaveLength(56)
  })
})

describe('money that came under the number of a try before the try was announced', () => {
  it('is booked on the order when the try is announced, also when it was an orphan already', async () => {
    const orderNo = aFreshOrderNo()
    const number = anOrderNo(`${orderNo}_2`)
    const kept = await aKeptCallback(number)
    await recordOrphan(deps, kept)
    const api = openOrdersApi(ledger)
    await api.put(orderNo, anOrderBody())

    const answer = await api.pay(orderNo, { channel: 'alipay', outTradeNo: number })

    expect(answer.status).toBe(201)
    const stray = await readOrderFile(ledger, number)
    expect(stray.tasks.find(({ bizNo }) => bizNo.endsWith('/put'))).toMatchObject({ status: 'WAITING', orderNo })
    const location = await locateOrder(ledger, kept.event)
    expect(await bookEvent(deps, { ...kept, location })).toEqual({ kind: 'booked', verdict: 'applied' })
    const file = await readOrderFile(ledger, orderNo)
    expect(file.order?.status).toBe('PAID')
    expect(file.payments).toMatchObject([{ role: 'APPLIED', outTradeNo: number }])
    expect(file.payAttempts.find(({ outTradeNo }) => outTradeNo === anOutTradeNo(number))?.state).toBe('PAID')
  })

  it('is woken when it still waits for its order', async () => {
    const orderNo = aFreshOrderNo()
    const number = anOrderNo(`${orderNo}_2`)
    await aParkedCallback(number)
    const api = openOrdersApi(ledger)
    await api.put(orderNo, anOrderBody())

    await api.pay(orderNo, { channel: 'alipay', outTradeNo: number })

    const [task] = (await readOrderFile(ledger, number)).tasks
    expect(task).toMatchObject({ bizType: 'SETTLE_CALLBACK', nextExecuteAt: NOW, lastErrorCode: 'ORDER_ARRIVED' })
  })
})
