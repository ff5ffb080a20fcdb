import { SendTaskFailureCommand, StopExecutionCommand } from '@aws-sdk/client-sfn'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { TaskAnswer } from '../../../../local/engines/step-functions/invoke.ts'
import { until } from '../scheduler/until.ts'
import { aMachine, aWait } from './machines.ts'
import { openMachine } from './open-machine.ts'

const day = 86_400_000

let m: Awaited<ReturnType<typeof openMachine>>
beforeEach(async () => {
  m = await openMachine()
})
afterEach(() => m.stop())

it('each attempt has a token of its own; one of before, a used one and an invented one move nothing', async () => {
  m.control.answer = async () =>
    m.calls.length === 1 ? { ok: false, error: 'E', cause: 'c' } : { ok: true, value: null }
  await m.define(aMachine({ A: aWait({ Retry: [{ ErrorEquals: ['E'] }] }) }))
  const executionArn = await m.start()
  await m.quiet()
  await m.leapToDue()

  expect(m.calls.map(({ payload }) => payload)).toMatchObject([{ retry: 0 }, { retry: 1 }])
  expect(m.tokenOf(1)).not.toBe(m.tokenOf(0))
  await expect(m.succeed(m.tokenOf(0))).rejects.toThrow(expect.objectContaining({ name: 'TaskTimedOut' }))
  await expect(m.succeed('invented')).rejects.toThrow(expect.objectContaining({ name: 'InvalidToken' }))
  await expect(m.succeed(m.tokenOf(1), '{')).rejects.toThrow(expect.objectContaining({ name: 'InvalidOutput' }))
  await m.succeed(m.tokenOf(1), '{"done":true}')
  await m.quiet()
  await expect(m.succeed(m.tokenOf(1))).rejects.toThrow(expect.objectContaining({ name: 'TaskTimedOut' }))
  expect(await m.describeExecution(executionArn)).toMatchObject({ status: 'SUCCEEDED', output: '{"done":true}' })
})

it('the token of an execution that is forgotten leads nowhere', async () => {
  await m.define(aMachine({ A: aWait() }))
  const executionArn = await m.start({ name: 'one' })
  await m.quiet()
  await m.client.send(new StopExecutionCommand({ executionArn }))
  m.clock.leapTo(m.clock.now() + 90 * day)
  await m.start({ name: 'one' })

  await expect(m.succeed(m.tokenOf(0))).rejects.toThrow(expect.objectContaining({ name: 'TaskDoesNotExist' }))
})

it('a token may come back before the function answers, whose answer then ends nothing', async () => {
  const { promise, resolve } = Promise.withResolvers<TaskAnswer>()
  m.control.answer = async () => (m.calls.length === 1 ? promise : { ok: true, value: null })
  await m.define(aMachine({ A: aWait({ End: undefined, Next: 'B' }), B: aWait() }))
  const executionArn = await m.start()
  await until(() => m.calls.length === 1)
  await m.succeed(m.tokenOf(0), '"early"')
  await until(() => m.calls.length === 2)
  await m.quiet()
  resolve({ ok: false, error: 'TooLate', cause: '' })
  await promise
  await m.succeed(m.tokenOf(1), '"second"')
  await m.quiet()

  expect(await m.describeExecution(executionArn)).toMatchObject({ status: 'SUCCEEDED', output: '"second"' })
})

it('a failure sent with the token fails the task under its name', async () => {
  await m.define(aMachine({ A: aWait() }))
  const executionArn = await m.start()
  await m.quiet()
  await m.client.send(new SendTaskFailureCommand({ taskToken: m.tokenOf(0), error: 'Denied', cause: 'by a person' }))
  await m.quiet()

  expect(await m.describeExecution(executionArn)).toMatchObject({
    status: 'FAILED',
    error: 'Denied',
    cause: 'by a person',
  })
})
