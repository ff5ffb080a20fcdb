import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { type StackOptions, startStack } from '../../local/host/stack.ts'
import { aMerchant, aStateDir, type Journey, journeyOn, journeyOptions, openApi, tasksOf } from '../support/journey.ts'
import { type Notice, partnerNotice, signedAgain } from '../support/journey-notices.ts'
import { allowSeconds, patienceMs } from '../support/patience.ts'

allowSeconds(120)
const merchant = await aMerchant()

const ORDERS = 60
const KILL_AFTER_ACKS = 20

it('a stack that is killed under load loses nothing that it acknowledged and does nothing twice', async () => {
  const options = journeyOptions(aStateDir(onTestFinished), merchant.url)
  const killed = await startStackToKill(options)
  const orderNos = Array.from({ length: ORDERS }, (_, index) => `KILLED-${String(index).padStart(2, '0')}`)
  await Promise.all(orderNos.map((orderNo) => killed.api.putOrder(orderNo)))
  const notices = orderNos.map((orderNo) => partnerNotice({ outTradeNo: orderNo, txn: `tx-${orderNo}` }, Date.now()))
  const acked = new Set<Notice>()
  await Promise.all(
    notices.map(async (notice) => {
      if ((await statusOf(killed.api.send(notice))) === 200) acked.add(notice)
      if (acked.size === KILL_AFTER_ACKS) killed.child.kill('SIGKILL')
    }),
  )
  await killed.ended
  const ackedAtKill = acked.size

  const journey = await restart(options)
  await journey.minutes(5)
  const afterRestart = await Promise.all(orderNos.map(journey.file))
  const unacked = notices.filter((notice) => !acked.has(notice))
  const again = await Promise.all(unacked.map((one) => journey.send(signedAgain(one, journey.stack.clock.now()))))
  await journey.stack.idle()
  await journey.minutes(5)

  const files = await Promise.all(orderNos.map(journey.file))
  const lost = afterRestart.filter(
    ({ order }, index) => order.status !== 'DELIVERED' && acked.has(notices[index] ?? expect.unreachable()),
  )
  expect(ackedAtKill).toBeGreaterThanOrEqual(KILL_AFTER_ACKS)
  expect(ackedAtKill).toBeLessThan(ORDERS)
  expect(lost).toEqual([])
  expect(again.every(({ status }) => status === 200)).toBe(true)
  for (const { order, payments, journal, lines, refunds } of files) {
    const ids = new Set(merchant.deliveries(order.orderNo).map(({ id }) => id))
    expect(order.status).toBe('DELIVERED')
    expect(payments).toMatchObject([{ role: 'APPLIED' }])
    expect(journal.map(({ to }) => to)).toEqual(['WAIT_PAY', 'PAID', 'DELIVERED'])
    expect(refunds).toEqual([])
    expect(ids).toEqual(new Set([lines[0]?.deliveryNo]))
  }
})

it('a delivery whose worker was killed is closed as ABANDONED when its lease lapses, and goes out again under its id', async () => {
  const options = journeyOptions(aStateDir(onTestFinished), merchant.url)
  const killed = await startStackToKill(options)
  merchant.answer('ABANDONED', 'hang')
  await killed.api.putOrder('ABANDONED')
  await killed.api.send(partnerNotice({ outTradeNo: 'ABANDONED', txn: 'abandoned-1' }, Date.now()))
  await vi.waitUntil(() => merchant.deliveries('ABANDONED').length > 0, { timeout: patienceMs(30) })
  killed.child.kill('SIGKILL')
  await killed.ended
  merchant.answer('ABANDONED', 200)

  const journey = await restart(options)
  await journey.stack.idle()
  const before = await journey.file('ABANDONED')
  await journey.minutes(5)

  const after = await journey.file('ABANDONED')
  expect(tasksOf(before, 'DELIVER')).toMatchObject([{ status: 'PROCESSING' }])
  expect(after.order.status).toBe('DELIVERED')
  expect(tasksOf(after, 'DELIVER')).toMatchObject([
    { status: 'SUCCESS', attempts: [{ outcome: 'ABANDONED' }, { outcome: 'done' }] },
  ])
  expect(merchant.deliveries('ABANDONED')).toHaveLength(2)
  expect(new Set(merchant.deliveries('ABANDONED').map(({ id }) => id)).size).toBe(1)
})

it('a restart keeps the time that was leapt and what is planned for later', async () => {
  const options = journeyOptions(aStateDir(onTestFinished), merchant.url)
  const first = await restart(options)
  merchant.answer('PLANNED-RETRY', 503)
  await first.putOrder('PLANNED-RETRY')
  await first.pay({ outTradeNo: 'PLANNED-RETRY', txn: 'planned-1' })
  await first.minutes(3)
  await first.putOrder('PLANNED-CLOSE')
  await first.minutes(10)
  const stoppedAt = first.stack.clock.now()
  await first.stack.stop()
  merchant.answer('PLANNED-RETRY', 200)

  const second = await restart(options)
  const startedAt = second.stack.clock.now()
  await second.minutes(6)

  const [retried, closed] = [await second.file('PLANNED-RETRY'), await second.file('PLANNED-CLOSE')]
  expect(startedAt).toBeGreaterThanOrEqual(stoppedAt)
  expect(retried.order.status).toBe('DELIVERED')
  expect(new Set(merchant.deliveries('PLANNED-RETRY').map(({ id }) => id)).size).toBe(1)
  expect(closed.order.status).toBe('CLOSED')
})

const ready = z.object({ url: z.string(), token: z.string() })

interface StackToKill {
  readonly child: ChildProcess
  readonly api: ReturnType<typeof openApi>
  readonly ended: Promise<unknown>
}

async function startStackToKill(options: StackOptions): Promise<StackToKill> {
  const script = join(import.meta.dirname, 'support/stack-to-kill.ts')
  const child = spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const [line] = await Promise.race([
    once(child.stdout, 'data'),
    ended.then(() => expect.unreachable('The stack ended before it was ready.')),
  ])
  const { url, token } = ready.parse(JSON.parse(String(line)))
  return { child, api: openApi(url, token), ended }
}

async function restart(options: StackOptions): Promise<Omit<Journey, 'errors'>> {
  const stack = await startStack(options)
  onTestFinished(() => stack.stop())
  return journeyOn(stack, merchant)
}

/** `undefined` when the host died before it answered. */
async function statusOf(answer: Promise<{ readonly status: number }>): Promise<number | undefined> {
  try {
    return (await answer).status
  } catch {
    return undefined
  }
}
