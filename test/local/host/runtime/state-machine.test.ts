import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type LocalStack, startStack } from '../../../../local/host/stack.ts'
import { machineTemplate, WAIT_SECONDS } from './machine-template.ts'

let stateDir: string
let stack: LocalStack | undefined

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'backstop-machine-'))
})
afterEach(async () => {
  await stack?.stop()
  stack = undefined
  rmSync(stateDir, { recursive: true })
})

const start = async (): Promise<LocalStack> => {
  stack = await startStack({ template: machineTemplate, stateDir, rootDir: import.meta.dirname })
  return stack
}

const openClient = (endpoint: string): SFNClient =>
  new SFNClient({ endpoint, region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } })

const stateMachineArn = 'arn:aws:states:us-east-1:000000000000:stateMachine:asking'

async function begin(client: SFNClient, step = 'look'): Promise<string> {
  const start = new StartExecutionCommand({ stateMachineArn, name: 'one', input: JSON.stringify({ step }) })
  const { executionArn = '' } = await client.send(start)
  return executionArn
}

/** The token of the open wait, once the function has answered. */
async function waitForToken(client: SFNClient, executionArn: string): Promise<string> {
  return vi.waitFor(
    async () => {
      const { events = [] } = await client.send(new GetExecutionHistoryCommand({ executionArn }))
      expect(events.at(-1)?.type).toBe('TaskSubmitted')
      const scheduled = events.findLast(({ type }) => type === 'TaskScheduled')?.taskScheduledEventDetails
      return JSON.parse(scheduled?.parameters ?? '').Payload.token
    },
    { timeout: 30_000, interval: 10 },
  )
}

const describeExecution = (client: SFNClient, executionArn: string) =>
  client.send(new DescribeExecutionCommand({ executionArn }))

it('runs a machine of the template to its end: function, token, success', async () => {
  const { outputs, gatewayUrl, idle } = await start()
  const client = openClient(gatewayUrl)
  const executionArn = await begin(client)
  const taskToken = await waitForToken(client, executionArn)

  await client.send(new SendTaskSuccessCommand({ taskToken, output: '{"by":"test"}' }))
  await idle()

  const { status, output } = await describeExecution(client, executionArn)
  expect(outputs['MachineArn']).toBe(stateMachineArn)
  expect({ status, output }).toEqual({ status: 'SUCCEEDED', output: '{"by":"test"}' })
})

it("an error of the function reaches Catch under the function's own name", async () => {
  const { gatewayUrl, idle } = await start()
  const client = openClient(gatewayUrl)
  const executionArn = await begin(client, 'break')
  await idle()

  expect(await describeExecution(client, executionArn)).toMatchObject({ status: 'FAILED', error: 'Broken' })
})

it('a wait of thirty days is one leap', async () => {
  const { clock, gatewayUrl, leapToNext, idle } = await start()
  const client = openClient(gatewayUrl)
  const before = clock.now()
  const executionArn = await begin(client)
  await waitForToken(client, executionArn)

  await leapToNext()
  await idle()

  const { status, output } = await describeExecution(client, executionArn)
  expect({ status, output }).toEqual({ status: 'SUCCEEDED', output: '{"timedOut":true}' })
  expect(clock.now() - before).toBeGreaterThanOrEqual(WAIT_SECONDS * 1000)
})

it('an open wait survives kill -9, with its token', async () => {
  const host = spawn(process.execPath, [join(import.meta.dirname, 'machine-host-to-kill.ts'), stateDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(host.stdout, 'data')
  const before = openClient(String(line).trim())
  const executionArn = await begin(before)
  const taskToken = await waitForToken(before, executionArn)
  host.kill('SIGKILL')
  await once(host, 'close')

  const { gatewayUrl, idle } = await start()
  const after = openClient(gatewayUrl)
  await after.send(new SendTaskSuccessCommand({ taskToken, output: '{}' }))
  await idle()

  expect(await describeExecution(after, executionArn)).toMatchObject({ status: 'SUCCEEDED', output: '{}' })
})
