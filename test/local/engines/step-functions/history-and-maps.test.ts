import { GetExecutionHistoryCommand } from '@aws-sdk/client-sfn'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { TaskAnswer } from '../../../../local/engines/step-functions/invoke.ts'
import { casesOf, definitionOf } from '../../../state-machines/case-file.ts'
import { runCase } from '../../../state-machines/run-case.ts'
import { until } from '../scheduler/until.ts'
import { aMachine, aTask } from './machines.ts'
import { openMachine } from './open-machine.ts'

let m: Awaited<ReturnType<typeof openMachine>>
beforeEach(async () => {
  m = await openMachine()
})
afterEach(() => m.stop())

it('a refund by itself has 24 events, each naming the one before, and is read by pages and backwards', async () => {
  const [byItself] = casesOf('refund').filter(({ name }) => name === 'refunded by itself')
  if (byItself === undefined) throw new Error('the case is gone')
  const { events } = await runCase('refund', definitionOf('refund'), byItself.test)

  expect(events.map(({ id, previousEventId }) => [id, previousEventId])).toEqual(
    events.map((_, index) => [index + 1, index]),
  )
  expect(events).toHaveLength(24)

  await m.define(aMachine({ A: aTask() }))
  const executionArn = await m.start({ input: '{"secret":1}' })
  await m.quiet()
  const read = (more: object) => m.client.send(new GetExecutionHistoryCommand({ executionArn, ...more }))
  const types = ({ events: page = [] }: Awaited<ReturnType<typeof read>>) => page.map(({ type }) => type)
  const first = await read({ maxResults: 4 })
  const rest = await read({ maxResults: 4, nextToken: first.nextToken })
  const all = ['ExecutionStarted', 'TaskStateEntered', 'TaskScheduled', 'TaskStarted', 'TaskSucceeded']
  expect([...types(first), ...types(rest)]).toEqual([...all, 'TaskStateExited', 'ExecutionSucceeded'])
  expect(types(await read({ reverseOrder: true, maxResults: 2 }))).toEqual(['ExecutionSucceeded', 'TaskStateExited'])
  expect(JSON.stringify((await read({ includeExecutionData: false })).events)).not.toContain('secret')
})

it('the history ends an execution at 25,000 events', { timeout: 120_000 }, async () => {
  const again = { A: { Type: 'Choice', Choices: [{ Condition: '{% true %}', Next: 'A' }] } }
  await m.define(aMachine(again))
  const executionArn = await m.start()
  await until(async () => (await m.describeExecution(executionArn)).status !== 'RUNNING')

  const last = new GetExecutionHistoryCommand({ executionArn, reverseOrder: true, maxResults: 1 })
  const { events } = await m.client.send(last)
  expect(events).toMatchObject([{ id: 25_000, type: 'ExecutionFailed' }])
  expect(await m.describeExecution(executionArn)).toMatchObject({ status: 'FAILED', error: 'States.Runtime' })
})

it('a Map runs as many iterations as its concurrency, keeps the order, and one failure ends the others', async () => {
  const open: ((answer: TaskAnswer) => void)[] = []
  m.control.answer = () => new Promise((resolve) => open.push(resolve))
  const each = { StartAt: 'Each', States: { Each: aTask() } }
  const map = { Type: 'Map', Items: '{% [1..5] %}', MaxConcurrency: 2, ItemProcessor: each, End: true }
  await m.define(
    aMachine({ A: { ...map, Catch: [{ ErrorEquals: ['Bad'], Next: 'B' }] }, B: { Type: 'Fail', Error: 'B' } }),
  )
  const good = await m.start()
  await until(() => open.length === 2)
  // The second answers first; a place is free then.
  open[1]?.({ ok: true, value: 'two' })
  await until(() => open.length === 3)
  for (const index of [0, 2, 3, 4]) {
    await until(() => open.length > index)
    open[index]?.({ ok: true, value: index })
  }
  await m.quiet()
  expect(await m.describeExecution(good)).toMatchObject({ status: 'SUCCEEDED', output: '[0,"two",2,3,4]' })

  const bad = await m.start()
  await until(() => open.length === 7)
  open[6]?.({ ok: false, error: 'Bad', cause: '' })
  await m.quiet()
  open[5]?.({ ok: true, value: 'too late' })
  const { events = [] } = await m.client.send(new GetExecutionHistoryCommand({ executionArn: bad }))
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['MapIterationAborted', 'MapStateFailed']))
  expect(await m.describeExecution(bad)).toMatchObject({ status: 'FAILED', error: 'B' })
  expect(m.calls).toHaveLength(7)
})
