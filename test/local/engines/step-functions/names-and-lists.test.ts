import { ListExecutionsCommand, StartExecutionCommand } from '@aws-sdk/client-sfn'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { aMachine, aTask, aWait } from './machines.ts'
import { openMachine } from './open-machine.ts'

const day = 86_400_000

let m: Awaited<ReturnType<typeof openMachine>>
beforeEach(async () => {
  m = await openMachine()
})
afterEach(() => m.stop())

it('the same name and input are the same answer while it runs, another input or a closed one is refused', async () => {
  await m.define(aMachine({ A: aWait() }))
  const first = await m.start({ name: 'one', input: '{"a":1}' })

  expect(await m.start({ name: 'one', input: '{"a":1}' })).toBe(first)
  await expect(m.start({ name: 'one', input: '{"a":2}' })).rejects.toThrow(
    expect.objectContaining({ name: 'ExecutionAlreadyExists' }),
  )
  await m.quiet()
  await m.succeed(m.tokenOf(0))
  await m.quiet()
  await expect(m.start({ name: 'one', input: '{"a":1}' })).rejects.toThrow(
    expect.objectContaining({ name: 'ExecutionAlreadyExists' }),
  )
  expect(m.calls).toHaveLength(1)
})

it('ninety days after its end an execution is forgotten and its name is free', async () => {
  await m.define(aMachine({ A: aTask() }))
  const executionArn = await m.start({ name: 'one' })
  await m.quiet()
  m.clock.leapTo(m.clock.now() + 90 * day)

  await expect(m.describeExecution(executionArn)).rejects.toThrow(
    expect.objectContaining({ name: 'ExecutionDoesNotExist' }),
  )
  expect(await m.start({ name: 'one' })).toBe(executionArn)
})

it('names, inputs and ARNs that the service refuses are refused', async () => {
  const stateMachineArn = await m.define(aMachine({ A: aTask() }))
  const refusal = (input: ConstructorParameters<typeof StartExecutionCommand>[0]) =>
    m.client.send(new StartExecutionCommand(input)).then(
      () => 'accepted',
      (error: Error) => error.name,
    )

  expect(await refusal({ stateMachineArn, name: 'a b' })).toBe('InvalidName')
  expect(await refusal({ stateMachineArn, name: 'a/b' })).toBe('InvalidName')
  expect(await refusal({ stateMachineArn, name: 'a'.repeat(81) })).toBe('ValidationException')
  expect(await refusal({ stateMachineArn, input: '{' })).toBe('InvalidExecutionInput')
  expect(await refusal({ stateMachineArn, input: `"${'a'.repeat(262_144)}"` })).toBe('ValidationException')
  expect(await refusal({ stateMachineArn: `${stateMachineArn}x` })).toBe('StateMachineDoesNotExist')
  expect(await refusal({ stateMachineArn: 'm' })).toBe('InvalidArn')
  expect(await refusal({ stateMachineArn, name: 'a'.repeat(80), input: `"${'a'.repeat(262_142)}"` })).toBe('accepted')
})

it('executions are listed newest first, by pages and by status', async () => {
  const stateMachineArn = await m.define(aMachine({ A: aWait() }))
  for (const name of ['a', 'b', 'c', 'd']) await m.start({ name })
  await m.quiet()
  await m.succeed(m.tokenOf(0))
  await m.quiet()
  const list = (more: object) => m.client.send(new ListExecutionsCommand({ stateMachineArn, ...more }))
  const names = ({ executions = [] }: Awaited<ReturnType<typeof list>>) => executions.map(({ name }) => name)

  const first = await list({ maxResults: 3 })
  expect(names(first)).toEqual(['d', 'c', 'b'])
  expect(names(await list({ maxResults: 3, nextToken: first.nextToken }))).toEqual(['a'])
  expect(names(await list({ statusFilter: 'SUCCEEDED' }))).toEqual(['a'])
  await expect(list({ nextToken: 'x' })).rejects.toThrow(expect.objectContaining({ name: 'InvalidToken' }))
})
