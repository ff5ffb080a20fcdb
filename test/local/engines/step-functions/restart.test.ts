import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DescribeExecutionCommand, SendTaskSuccessCommand, StartExecutionCommand } from '@aws-sdk/client-sfn'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Json } from '../../../../local/host/template/json.ts'
import { until } from '../scheduler/until.ts'
import { aMachine, aTask, aWait } from './machines.ts'
import { manualClock } from './manual-clock.ts'
import { startStepFunctions } from './start-step-functions.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'step-functions-'))
})
afterEach(() => rm(folder, { recursive: true }))

const clock = manualClock()

/** An engine on the same file, whose functions answer or never do. */
async function open(answers: boolean) {
  const payloads: Json[] = []
  const sfn = await startStepFunctions({
    path: join(folder, 'state.sqlite'),
    clock,
    invoke: async ({ payload }) => {
      payloads.push(payload)
      return answers ? { ok: true, value: payload } : new Promise(() => {})
    },
  })
  return { ...sfn, payloads, quiet: () => until(() => !sfn.engine.isRunning()) }
}

const tokenIn = (payload: Json | undefined): string => JSON.parse(JSON.stringify(payload)).token

async function startOne(sfn: Awaited<ReturnType<typeof open>>, definition: string): Promise<string> {
  const { arn } = await sfn.engine.putMachine('m', definition)
  const { executionArn = '' } = await sfn.client.send(new StartExecutionCommand({ stateMachineArn: arn, input: '7' }))
  return executionArn
}

it('a call that was cut off is made again, its time counting anew', async () => {
  const before = await open(false)
  const executionArn = await startOne(before, aMachine({ A: aTask({ TimeoutSeconds: 90 }) }))
  await until(() => before.payloads.length === 1)
  await before.stop()
  clock.leapTo(clock.now() + 600_000)
  const cutOffAgain = await open(false)
  const dueAt = cutOffAgain.engine.nextDueAt()
  await cutOffAgain.stop()

  const after = await open(true)
  await after.quiet()
  const execution = await after.client.send(new DescribeExecutionCommand({ executionArn }))
  await after.stop()

  expect(dueAt).toBe(clock.now() + 90_000)
  expect(after.payloads).toEqual([7])
  expect(execution).toMatchObject({ status: 'SUCCEEDED', output: '7' })
})

it('a wait goes on: the same deadline, the same token, and no second call once it was answered', async () => {
  const before = await open(true)
  const executionArn = await startOne(before, aMachine({ A: aWait({ TimeoutSeconds: 99_999_999 }) }))
  await before.quiet()
  const dueAt = before.engine.nextDueAt()
  await before.stop()

  const after = await open(true)
  await after.quiet()
  const dueAtAfter = after.engine.nextDueAt()
  await after.client.send(new SendTaskSuccessCommand({ taskToken: tokenIn(before.payloads[0]), output: '8' }))
  await after.quiet()
  const execution = await after.client.send(new DescribeExecutionCommand({ executionArn }))
  await after.stop()

  expect(dueAtAfter).toBe(dueAt)
  expect(after.payloads).toEqual([])
  expect(execution).toMatchObject({ status: 'SUCCEEDED', output: '8' })
})

it('a call with a token that was cut off is made again under the same token', async () => {
  const before = await open(false)
  await startOne(before, aMachine({ A: aWait() }))
  await until(() => before.payloads.length === 1)
  await before.stop()

  const after = await open(true)
  await after.quiet()
  await after.stop()

  expect(after.payloads).toEqual(before.payloads)
})

it('a wait whose time ended while the machine was off times out at the next start', async () => {
  const before = await open(true)
  const executionArn = await startOne(before, aMachine({ A: aWait({ TimeoutSeconds: 3_600 }) }))
  await before.quiet()
  await before.stop()
  clock.leapTo(clock.now() + 7_200_000)

  const after = await open(true)
  await until(() => after.engine.nextDueAt() === undefined && !after.engine.isRunning())
  const execution = await after.client.send(new DescribeExecutionCommand({ executionArn }))
  await after.stop()

  expect(execution).toMatchObject({ status: 'FAILED', error: 'States.Timeout' })
})

it('a Map goes on where it was: what was done is not done again', async () => {
  const each = { StartAt: 'Each', States: { Each: aWait() } }
  const map = { Type: 'Map', Items: '{% [1..3] %}', MaxConcurrency: 2, ItemProcessor: each, End: true }
  const before = await open(true)
  const executionArn = await startOne(before, aMachine({ A: map }))
  await before.quiet()
  await before.client.send(new SendTaskSuccessCommand({ taskToken: tokenIn(before.payloads[1]), output: '2' }))
  await until(() => before.payloads.length === 3)
  await before.quiet()
  await before.stop()

  const after = await open(true)
  for (const [index, output] of [
    [0, '1'],
    [2, '3'],
  ] as const) {
    await after.client.send(new SendTaskSuccessCommand({ taskToken: tokenIn(before.payloads[index]), output }))
  }
  await after.quiet()
  const execution = await after.client.send(new DescribeExecutionCommand({ executionArn }))
  await after.stop()

  expect(after.payloads).toEqual([])
  expect(execution).toMatchObject({ status: 'SUCCEEDED', output: '[1,2,3]' })
})
