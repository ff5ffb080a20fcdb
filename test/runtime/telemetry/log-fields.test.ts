import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { handleEach } from '../../../modules/runtime/frame/each-record.ts'
import { addLogFields, log } from '../../../modules/runtime/telemetry/log.ts'
import { emitMetric, logAndCount } from '../../../modules/runtime/telemetry/metrics.ts'
import { fileOf, paid, putPayingOrder, taskOf } from '../../support/ledger-builders.ts'
import { openWorld } from '../../support/world.ts'
import { aCallback } from '../../support/world-bank.ts'

let lines: Record<string, unknown>[] = []
beforeEach(() => {
  lines = []
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    lines.push(JSON.parse(String(chunk)))
    return true
  })
})
afterEach(() => vi.restoreAllMocks())

const handle = <R>(records: readonly R[], one: (record: R) => Promise<void>) =>
  handleEach(records, String, one, { concurrency: 5, needsMs: 1000, remainingMs: () => 60_000 })

it('records of one batch, handled side by side, keep their ids apart', async () => {
  await handle(['A', 'B'], async (orderNo) => {
    addLogFields({ orderNo })
    await setImmediate()
    log('INFO', 'Looked.')
    logAndCount('INFO', 'Taken.', ['PaymentApplied'], {})
  })

  expect(lines.map(({ message, orderNo }) => `${message} ${orderNo}`).sort()).toEqual([
    'Looked. A',
    'Looked. B',
    'Taken. A',
    'Taken. B',
  ])
})

it('a record that fails says which order and task it was about', async () => {
  await handle(['m1'], async () => {
    addLogFields({ orderNo: 'ORDER-1' })
    addLogFields({ taskNo: 'TASK-1' })
    throw new RangeError('no luck')
  })

  expect(lines).toMatchObject([
    { level: 'ERROR', record: 'm1', orderNo: 'ORDER-1', taskNo: 'TASK-1', error: 'RangeError', detail: 'no luck' },
  ])
})

it('what is known of one record is forgotten with it', async () => {
  await handle(['A'], async (orderNo) => addLogFields({ orderNo }))
  addLogFields({ orderNo: 'B' })
  log('INFO', 'After.')

  expect(lines).toHaveLength(1)
  expect(lines[0]).not.toHaveProperty('orderNo')
})

it('a line that says and counts is one line, whose ids are no dimensions', () => {
  logAndCount('INFO', 'Taken.', ['PaymentMismatched', 'TicketsOpened'], { channel: 'stripe', orderNo: 'ORDER-1' })

  expect(lines).toMatchObject([
    { level: 'INFO', message: 'Taken.', orderNo: 'ORDER-1', PaymentMismatched: 1, TicketsOpened: 1 },
  ])
  expect(lines[0]?.['_aws']).toMatchObject({
    Timestamp: expect.any(Number),
    CloudWatchMetrics: [
      { Namespace: 'Backstop', Dimensions: [[]], Metrics: [{ Name: 'PaymentMismatched', Unit: 'Count' }] },
      { Namespace: 'Backstop', Dimensions: [[]], Metrics: [{ Name: 'TicketsOpened', Unit: 'Count' }] },
    ],
  })
})

it('what is said with nothing to count is a plain line', () => {
  logAndCount('INFO', 'Taken.', [], { channel: 'stripe' })

  expect(lines).toMatchObject([{ level: 'INFO', message: 'Taken.', timestamp: expect.any(String) }])
  expect(lines[0]).not.toHaveProperty('_aws')
})

it('a metric may carry ids beside its dimensions', () => {
  emitMetric('CallbackAccepted', { channel: 'stripe', messageId: 'm1' })

  expect(lines).toMatchObject([{ channel: 'stripe', messageId: 'm1', CallbackAccepted: 1 }])
})

it('every line of a task, from the attempt to the error, names order and task', async () => {
  const world = await openWorld()
  const orderNo = await putPayingOrder(world)
  await world.take(aCallback(paid(orderNo)))
  const task = taskOf(await fileOf(world, orderNo), 'DELIVER')
  world.merchant.answer = () => {
    throw new SyntaxError('a bug')
  }
  lines = []

  await handle(['m1'], () => world.run(task))

  const told = lines.filter((line) => !('AttemptsDone' in line || 'AttemptsUnknown' in line))
  expect(told.length).toBeGreaterThanOrEqual(3)
  for (const line of told) expect(line).toMatchObject({ orderNo, taskNo: task.taskNo })
})
