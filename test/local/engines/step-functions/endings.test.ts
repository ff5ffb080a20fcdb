import { StopExecutionCommand } from '@aws-sdk/client-sfn'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { aMachine, aTask, aWait } from './machines.ts'
import { openMachine } from './open-machine.ts'

const day = 86_400_000

let m: Awaited<ReturnType<typeof openMachine>>
beforeEach(async () => {
  m = await openMachine()
})
afterEach(() => m.stop())

it('the time of the machine ends it as TIMED_OUT, whatever its states would catch', async () => {
  const catchAll = { Catch: [{ ErrorEquals: ['States.ALL'], Next: 'B' }] }
  await m.define(aMachine({ A: aWait(catchAll), B: { Type: 'Succeed' } }, { TimeoutSeconds: 31_000_000 }))
  const executionArn = await m.start()
  await m.quiet()
  const before = m.clock.now()
  await m.leapToDue()

  expect(await m.describeExecution(executionArn)).toMatchObject({ status: 'TIMED_OUT', error: 'States.Timeout' })
  expect(m.clock.now() - before).toBe(31_000_000_000)
})

it('a stopped execution is ABORTED, and its token is over', async () => {
  await m.define(aMachine({ A: aWait() }))
  const executionArn = await m.start()
  await m.quiet()
  const first = await m.client.send(new StopExecutionCommand({ executionArn, error: 'E', cause: 'c' }))
  m.clock.leapTo(m.clock.now() + day)
  const second = await m.client.send(new StopExecutionCommand({ executionArn }))

  expect(second.stopDate).toEqual(first.stopDate)
  expect(await m.describeExecution(executionArn)).toMatchObject({ status: 'ABORTED', error: 'E', cause: 'c' })
  await expect(m.succeed(m.tokenOf(0))).rejects.toThrow(expect.objectContaining({ name: 'TaskTimedOut' }))
})

it.each([
  ['States.Runtime', { Arguments: { FunctionName: '{% 5 %}' } }, 'FAILED'],
  ['States.DataLimitExceeded', { Output: '{% $pad("", 300000, "a") %}' }, 'FAILED'],
  ['States.QueryEvaluationError', { Output: '{% $states.result.missing %}' }, 'SUCCEEDED'],
])('%s meets States.ALL: %o', async (error, more, status) => {
  const handlers = { Catch: [{ ErrorEquals: ['States.ALL'], Next: 'B' }], End: undefined, Next: 'B' }
  await m.define(aMachine({ A: aTask({ ...more, ...handlers }), B: { Type: 'Succeed' } }))
  const executionArn = await m.start()
  await m.quiet()

  const execution = await m.describeExecution(executionArn)
  expect(execution.status).toBe(status)
  expect(execution.error ?? JSON.parse(execution.output ?? '').Error).toBe(error)
})

it('an answer larger than 256 KiB is refused', async () => {
  m.control.answer = async () => ({ ok: true, value: 'a'.repeat(262_143) })
  await m.define(aMachine({ A: aTask() }))
  const executionArn = await m.start()
  await m.quiet()

  expect(await m.describeExecution(executionArn)).toMatchObject({ status: 'FAILED', error: 'States.DataLimitExceeded' })
})

it('an open execution keeps the definition of its start', async () => {
  await m.define(aMachine({ A: aWait({ Output: 'old' }) }))
  const executionArn = await m.start()
  await m.quiet()
  await m.define(aMachine({ A: aWait({ Output: 'new' }) }))
  await m.succeed(m.tokenOf(0))
  await m.quiet()

  expect(await m.describeExecution(executionArn)).toMatchObject({ output: '"old"' })
})
