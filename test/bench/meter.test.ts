import { describe, expect, it } from 'vitest'
import { accessLogBytes } from '../../bench/cost/access-log.ts'
import { meterSteps } from '../../bench/cost/meter-steps.ts'
import { meterTables } from '../../bench/cost/meter-tables.ts'
import { addUsage, noUsage, priceUsage, scaleUsage, sumUsage } from '../../bench/cost/prices.ts'
import type { Change } from '../../bench/cost/record-payments.ts'
import type { Call, Invocation, Subject, TableUse } from '../../bench/cost/recording.ts'
import { tracedShare } from '../../bench/cost/traced-share.ts'
import { median, quantile } from '../../bench/statistics.ts'
import { accessLogLine } from '../../infra/http-api.ts'

const engine = { tableUnits: 0, indexUnits: 0 }

function aCall(more: Partial<Call> = {}): Call {
  return { service: 'SQS', command: 'SendMessage', requests: 1, ok: true, endedAt: 1, payloadBytes: 100, ...more }
}

function aTableCall(use: Partial<TableUse>, more: Partial<Call> = {}): Call {
  return aCall({
    service: 'DynamoDB',
    command: 'TransactWriteItems',
    payloadBytes: 0,
    use: { table: 'Ledger', writes: [], transactional: true, engine, ...use },
    ...more,
  })
}

function anInvocation(more: Partial<Invocation> = {}): Invocation {
  const subjects: readonly Subject[] = [{ step: 'settle', messageBytes: 500 }]
  const usual = { folder: 'settle', memoryMb: 512, durationMs: 10, cpuMs: 1, logLines: 0, logBytes: 0 }
  return { ...usual, subjects, calls: [], ...more }
}

const byTask = (_folder: string, { step, taskNo }: Subject): string => taskNo ?? step
const anImage = (text: string): Change['after'] => ({
  pk: { S: 'P' },
  sk: { S: 'S' },
  et: { S: 'ORDER' },
  x: { S: text },
})

describe('a run is metered by the images in the stream', () => {
  it('the n-th write of a key has the n-th change of it, in the order in which the calls ended', () => {
    const write = { op: 'Update', key: 'P\nS' } as const
    const later = aTableCall({ writes: [write] }, { endedAt: 2 })
    const sooner = aTableCall({ writes: [write] }, { endedAt: 1 })
    const [small, large] = [anImage('x'), anImage('x'.repeat(1500))]
    const changes: Change[] = [
      { key: 'P\nS', ...(small && { after: small }) },
      { key: 'P\nS', ...(small && { before: small }), ...(large && { after: large }) },
    ]

    const metered = meterTables('Ledger', [later, sooner], changes)

    expect(metered.get(sooner)?.writes).toMatchObject([{ et: 'ORDER', tableUnits: 2 }])
    expect(metered.get(later)?.writes).toMatchObject([{ et: 'ORDER', tableUnits: 4 }])
  })

  it('a condition check takes no change and costs as a write of the row as it is', () => {
    const put = aTableCall({ writes: [{ op: 'Put', key: 'P\nS' }] }, { endedAt: 1 })
    const check = aTableCall({ writes: [{ op: 'ConditionCheck', key: 'P\nS' }] }, { endedAt: 2 })
    const after = anImage('x'.repeat(1500))

    const metered = meterTables('Ledger', [put, check], [{ key: 'P\nS', ...(after && { after }) }])

    expect(metered.get(check)?.writes).toMatchObject([{ op: 'ConditionCheck', tableUnits: 4, indexUnits: 0 }])
  })
})

describe('what an invocation spends', () => {
  it('is shared out among the records of its batch', () => {
    const subjects = [
      { step: 'work', taskNo: 'A', messageBytes: 100 },
      { step: 'work', taskNo: 'B', messageBytes: 100 },
    ]

    const steps = meterSteps([anInvocation({ folder: 'work', subjects })], new Map(), byTask)

    expect(steps.get('A')).toMatchObject({
      invocations: 0.5,
      subjects: 1,
      usage: { lambdaRequest: 0.5, sqsRequest: 1 },
    })
    expect(steps.get('B')?.usage).toEqual(steps.get('A')?.usage)
  })

  it('goes to the task that a call names', () => {
    const subjects = [
      { step: 'dispatch', taskNo: 'A', messageBytes: 0 },
      { step: 'dispatch', taskNo: 'B', messageBytes: 0 },
    ]
    const calls = [aCall({ taskNo: 'A' }), aCall({ command: 'CreateSchedule', service: 'Scheduler', taskNo: 'B' })]

    const steps = meterSteps([anInvocation({ folder: 'dispatch', subjects, calls })], new Map(), byTask)

    expect(steps.get('A')).toMatchObject({ calls: 1, usage: { sqsRequest: 1, schedule: 0 } })
    expect(steps.get('B')).toMatchObject({ calls: 1, usage: { sqsRequest: 1, schedule: 1 } })
  })

  it('counts the SDK’s second try as a request of its own', () => {
    const steps = meterSteps([anInvocation({ calls: [aCall({ requests: 2 })] })], new Map(), byTask)

    expect(steps.get('settle')).toMatchObject({ calls: 2, usage: { sqsRequest: 2 + 2 } })
  })

  it('leaves out secrets, which are fetched by the environment and not by the payment', () => {
    const calls = [aCall({ service: 'SecretsManager', command: 'GetSecretValue' })]

    expect(meterSteps([anInvocation({ calls })], new Map(), byTask).get('settle')?.calls).toBe(0)
  })

  it('is billed for its CPU on the share that its memory buys, and for its waits', () => {
    const calls = [aTableCall({})]

    const step = meterSteps([anInvocation({ cpuMs: 10, calls })], new Map(), byTask).get('settle')

    expect(step?.billedMs).toBe(Math.ceil((10 * 1769) / 512 + 15))
    expect(step?.usage.lambdaGbSecond).toBeCloseTo(((step?.billedMs ?? 0) / 1000) * 0.5)
  })
})

describe('what is watched', () => {
  it('costs no trace when the stage has no tracing, and the share that Lambda takes when it has', () => {
    const traces = (traced?: number) =>
      meterSteps([anInvocation(), anInvocation()], new Map(), byTask, traced).get('settle')?.usage.trace

    expect(traces()).toBe(0)
    expect(traces(0.5)).toBe(1)
  })

  it('is every invocation up to one a second, and one in twenty of those beyond', () => {
    expect(tracedShare(0.4)).toBe(1)
    expect(tracedShare(1)).toBe(1)
    expect(tracedShare(2)).toBeCloseTo((1 + 0.05) / 2)
    expect(tracedShare(1000)).toBeCloseTo(0.051, 3)
  })

  it('is a line of the access log for each request beside our own lines, each with what CloudWatch adds', () => {
    const step = 'POST /callbacks/{channel}'
    const ack = anInvocation({ folder: 'ingress', subjects: [{ step, messageBytes: 0 }], logLines: 1, logBytes: 100 })

    const logGb = meterSteps([ack], new Map(), byTask).get(step)?.usage.logGb ?? 0

    expect(Math.round(logGb * 1024 ** 3)).toBe(100 + accessLogBytes(step) + 2 * 26)
  })

  it('is as long as the format with everything put in', () => {
    const line = JSON.parse(accessLogLine)

    expect(Object.keys(line).length).toBeGreaterThan(5)
    expect(accessLogBytes('POST /callbacks/{channel}')).toBeGreaterThan(Object.keys(line).join('').length + 100)
    expect(accessLogBytes('PUT /orders/{orderNo}')).not.toBe(accessLogBytes('POST /orders/{orderNo}/pay-attempts'))
  })
})

describe('money', () => {
  it('is units times prices, summed', () => {
    const usage = scaleUsage(addUsage(noUsage, { writeUnit: 1, httpRequest: 2 }), 1_000_000)

    expect(priceUsage(usage)).toMatchObject({ writeUnit: 0.625, httpRequest: 2, readUnit: 0 })
    expect(sumUsage(priceUsage(usage))).toBeCloseTo(2.625)
  })
})

describe('a quantile', () => {
  it('is a value that was measured, by the nearest rank', () => {
    expect(quantile([4, 1, 3, 2], 0.99)).toBe(4)
    expect(median([4, 1, 3, 2])).toBe(2)
    expect(median([7])).toBe(7)
  })

  it('of nothing is refused', () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError)
  })
})
