import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLeapingClock } from '../../../../local/host/clock/leaping-clock.ts'
import { type FunctionPool, openFunctionPool } from '../../../../local/host/runtime/function-pool.ts'
import type { FunctionSpec } from '../../../../local/host/template/read-functions.ts'

const clock = openLeapingClock({ offsetMs: 0, saveOffset: () => {} })
const logs: { functionName: string; line: string }[] = []
let pool: FunctionPool

const probe = (name: string, change: Partial<FunctionSpec> = {}): FunctionSpec => ({
  logicalId: name,
  name,
  arn: `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
  entry: 'handlers/probe.ts',
  exportName: 'handler',
  timeoutMs: 10_000,
  memoryMb: 128,
  environment: { OWN: name },
  asyncInvoke: { maxRetries: 0, maxAgeMs: 60_000 },
  ...change,
})

beforeAll(() => {
  pool = openFunctionPool({
    functions: [
      probe('probe'),
      probe('crashing'),
      probe('logging'),
      probe('hasty', { timeoutMs: 300 }),
      probe('small', { memoryMb: 32 }),
      probe('single', { reservedConcurrency: 1 }),
      probe('closed', { reservedConcurrency: 0 }),
      probe('missing', { entry: 'handlers/no-such-file.ts' }),
      probe('misnamed', { exportName: 'main' }),
    ],
    rootDir: import.meta.dirname,
    env: { AWS_REGION: 'us-east-1', TZ: 'UTC' },
    clock,
    concurrency: 2,
    onLog: (entry) => logs.push(entry),
    onBooked: () => {},
  })
})
afterAll(() => pool.close())

describe('a function on this machine', () => {
  it('gets the event and gives back its result as JSON', async () => {
    const result = await pool.invoke('probe', { do: 'echo', value: '兜底' })

    expect(result).toEqual({ ok: true, value: '兜底' })
  })

  it('sees its own environment and nothing of the host', async () => {
    const result = await pool.invoke('probe', { do: 'env' })

    expect(result).toEqual({
      ok: true,
      value: {
        AWS_REGION: 'us-east-1',
        TZ: 'UTC',
        OWN: 'probe',
        AWS_LAMBDA_FUNCTION_NAME: 'probe',
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '128',
        AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      },
    })
  })

  it('gets a context with its name, its ARN, a request id and the time that is left', async () => {
    const result = await pool.invoke('probe', { do: 'context' })

    expect(result).toMatchObject({
      ok: true,
      value: {
        functionName: 'probe',
        invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:probe',
        memoryLimitInMB: '128',
        awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        remainingMs: expect.any(Number),
      },
    })
  })

  it('reports a thrown error by its name and message', async () => {
    const result = await pool.invoke('probe', { do: 'throw' })

    expect(result).toMatchObject({ ok: false, error: { errorType: 'TypeError', errorMessage: 'bad event' } })
  })

  it('has its error in its log', async () => {
    await pool.invoke('probe', { do: 'throw' })

    const lines = logs.filter((entry) => entry.functionName === 'probe').map((entry) => JSON.parse(entry.line))
    expect(lines.at(-1)).toMatchObject({ level: 'ERROR', errorType: 'TypeError', errorMessage: 'bad event' })
  })

  it('is stopped at its time limit, even in an endless loop, and runs the next event afresh', async () => {
    const stopped = await pool.invoke('hasty', { do: 'loop' })
    const next = await pool.invoke('hasty', { do: 'count' })

    expect(stopped).toMatchObject({ ok: false, error: { errorType: 'Sandbox.Timedout' } })
    expect(stopped.ok ? '' : stopped.error.errorMessage).toMatch(/Task timed out after 0\.30 seconds$/)
    expect(next).toEqual({ ok: true, value: 1 })
  })

  it('is killed above its memory', async () => {
    const result = await pool.invoke('small', { do: 'eat-memory' })

    expect(result).toMatchObject({ ok: false, error: { errorType: 'Runtime.OutOfMemory' } })
  })

  it('reports an exit of the process and goes on with a fresh one', async () => {
    const exited = await pool.invoke('crashing', { do: 'exit' })
    const next = await pool.invoke('crashing', { do: 'count' })

    expect(exited).toMatchObject({ ok: false, error: { errorType: 'Runtime.ExitError' } })
    expect(next).toEqual({ ok: true, value: 1 })
  })

  it('reports a rejection that nobody handled', async () => {
    const result = await pool.invoke('crashing', { do: 'reject-unhandled' })

    expect(result).toMatchObject({
      ok: false,
      error: { errorType: 'Runtime.UnhandledPromiseRejection', errorMessage: 'Error: nobody waits for this' },
    })
  })

  it('reports a handler that cannot be found', async () => {
    const missing = await pool.invoke('missing', {})
    const misnamed = await pool.invoke('misnamed', {})

    expect(missing).toMatchObject({ ok: false, error: { errorMessage: expect.stringContaining('no-such-file') } })
    expect(misnamed).toMatchObject({ ok: false, error: { errorType: 'Runtime.HandlerNotFound' } })
  })

  it('keeps its state between events, one event at a time, when one environment is reserved', async () => {
    const results = await Promise.all([1, 2, 3].map(() => pool.invoke('single', { do: 'count' })))

    expect(results).toEqual([1, 2, 3].map((value) => ({ ok: true, value })))
  })

  it('is never run with a reserved concurrency of zero', async () => {
    const result = await pool.invoke('closed', { do: 'count' })

    expect(result).toMatchObject({ ok: false, error: { errorType: 'TooManyRequestsException' } })
  })

  it('hands over its output line by line, before its answer', async () => {
    await pool.invoke('logging', { do: 'log', text: 'first\nsecond half' })
    await pool.invoke('logging', { do: 'log', text: ' of a line\n' })

    const lines = logs.filter((entry) => entry.functionName === 'logging').map((entry) => entry.line)
    expect(lines).toEqual(['first', 'second half of a line'])
  })

  it('lives in the time of the clock, also after a leap', async () => {
    await pool.invoke('probe', { do: 'time' })
    const target = clock.now() + 86_400_000
    clock.leapTo(target)

    const result = await pool.invoke('probe', { do: 'time' })

    if (!result.ok || typeof result.value !== 'object') throw new Error('the function failed')
    const { now, fromNew } = { now: 0, fromNew: '', ...result.value }
    expect(now).toBeGreaterThanOrEqual(target)
    expect(Date.parse(fromNew)).toBeGreaterThanOrEqual(target)
    expect(result.value).toMatchObject({ fixed: '1970-01-01T00:00:00.000Z', isDate: true })
  })
})
