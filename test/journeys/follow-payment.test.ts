import { afterAll, expect, it } from 'vitest'
import { startStack } from '../../local/host/stack.ts'
import { aMerchant, aStateDir, journeyOn, journeyOptions, tasksOf } from '../support/journey.ts'
import { allowSeconds } from '../support/patience.ts'

interface Line extends Readonly<Record<string, unknown>> {
  readonly folder: string | undefined
}

allowSeconds(120)
const lines: Line[] = []
const merchant = await aMerchant()
const stack = await startStack({
  ...journeyOptions(aStateDir(afterAll), merchant.url),
  onLog: ({ entry, line }) => {
    if (line.startsWith('{')) lines.push({ ...JSON.parse(line), folder: entry.split('/')[1] })
  },
})
afterAll(() => stack.stop())
const { putOrder, startPayAttempt, pay, file, minutes } = await journeyOn(stack, merchant)

const linesOf = (field: string, value: unknown): readonly Line[] => lines.filter((line) => line[field] === value)

it('one payment is followed by its logs from the acknowledgement, which knows no order, to the delivery', async () => {
  await putOrder('FOLLOWED-1')
  await startPayAttempt('FOLLOWED-1')
  await pay({ outTradeNo: 'FOLLOWED-1', txn: 'followed-1' })

  const byOrder = linesOf('orderNo', 'FOLLOWED-1')
  const [booked] = byOrder.filter(({ folder }) => folder === 'settle')
  const byMessage = linesOf('messageId', booked?.['messageId'])
  const [task] = tasksOf(await file('FOLLOWED-1'), 'DELIVER')

  expect(booked).toMatchObject({ channel: 'partner', result: 'applied', PaymentApplied: 1 })
  expect(byMessage.map(({ folder }) => folder)).toEqual(['ingress', 'settle'])
  expect(byMessage[0]).toMatchObject({ channel: 'partner', CallbackAccepted: 1 })
  expect(byOrder.filter(({ folder }) => folder === 'work')).toMatchObject([
    { taskNo: task?.taskNo, Attempts: 1, taskType: 'DELIVER' },
    { taskNo: task?.taskNo, message: 'A task was executed.', outcome: 'done', callMs: expect.any(Number) },
  ])
})

it('a payment whose delivery fails is followed by its logs through each try', async () => {
  await putOrder('FOLLOWED-2')
  merchant.answer('FOLLOWED-2', 503)
  await pay({ outTradeNo: 'FOLLOWED-2', txn: 'followed-2' })
  await minutes(5)

  const tries = linesOf('orderNo', 'FOLLOWED-2').filter(({ message }) => message === 'A task was executed.')

  expect(tries.length).toBeGreaterThan(1)
  expect(new Set(tries.map(({ taskNo }) => taskNo)).size).toBe(1)
  expect(tries.every(({ outcome, code }) => outcome === 'unknown' && code === 'HTTP_503')).toBe(true)
})
