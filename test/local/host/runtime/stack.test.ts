import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LocalStack, startStack } from '../../../../local/host/stack.ts'
import { chainTemplate } from './chain-template.ts'

const stateDir = mkdtempSync(join(tmpdir(), 'backstop-stack-'))
const logs: { functionName: string; line: string }[] = []
let stack: LocalStack
let dynamodb: DynamoDBClient

const start = () =>
  startStack({
    template: chainTemplate,
    stateDir,
    rootDir: import.meta.dirname,
    onLog: (entry) => logs.push(entry),
  })
const openClient = () =>
  new DynamoDBClient({
    endpoint: stack.dynamodbEndpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })
const storedKeys = async () => {
  const { Items = [] } = await dynamodb.send(new ScanCommand({ TableName: stack.resolve('Table') }))
  return Items.map((item) => item['pk']?.S ?? '').sort()
}
const post = (body: string) =>
  fetch(`${stack.url}/messages/plain`, { method: 'POST', body, headers: { 'content-type': 'text/plain' } })

beforeAll(async () => {
  stack = await start()
  dynamodb = openClient()
})
afterAll(async () => {
  dynamodb.destroy()
  await stack.stop()
  rmSync(stateDir, { recursive: true })
})

describe('a stack on this machine', () => {
  it('runs a chain from a request over queue, table and stream to a schedule an hour later', async () => {
    const answer = await post('first')
    await stack.idle()
    const before = await storedKeys()
    await stack.leapBy(3_700_000)

    expect(answer.status).toBe(202)
    expect(before).toEqual(['first'])
    expect(await storedKeys()).toEqual(['first', 'first-later'])
  })

  it('moves a message that fails again and again to the dead-letter queue, and stores its neighbours', async () => {
    await Promise.all([post('poison'), post('good')])
    await stack.leapBy(600_000)

    expect(await storedKeys()).toContain('good')
    expect(stack.sqs.counts('DeadLetters').visible).toBe(1)
    expect(stack.sqs.counts('Queue')).toMatchObject({ visible: 0, inFlight: 0 })
  })

  it('sets a stream record aside that fails again and again, and goes on behind it', async () => {
    const TableName = stack.resolve('Table')
    for (const pk of ['stuck', 'after-stuck']) {
      await dynamodb.send(new PutItemCommand({ TableName, Item: { pk: { S: pk } } }))
    }
    await stack.idle()

    const followed = logs.filter((entry) => entry.functionName === 'Follow').map((entry) => entry.line)
    expect(followed.filter((line) => line === '{"followed":"stuck"}').length).toBeGreaterThanOrEqual(2)
    expect(followed).toContain('{"followed":"after-stuck"}')
    const [loss] = await stack.sqs.receive('Losses', { max: 10, waitMs: 0 })
    expect(JSON.parse(loss?.body ?? '{}')).toMatchObject({
      requestContext: { condition: 'RetryAttemptsExhausted' },
      DDBStreamBatchInfo: { batchSize: 1 },
    })
  })

  it('fires a rule each minute of the clock', async () => {
    const before = stack.invocations()['Tick']?.invocations ?? 0
    await stack.leapBy(5 * 60_000)

    expect((stack.invocations()['Tick']?.invocations ?? 0) - before).toBe(5)
  })

  it('goes on after a restart, and never back in time', async () => {
    await post('second')
    await stack.idle()
    const before = stack.clock.now()
    dynamodb.destroy()
    await stack.stop()

    stack = await start()
    dynamodb = openClient()
    await stack.leapBy(3_700_000)

    expect(stack.clock.now()).toBeGreaterThanOrEqual(before + 3_700_000)
    expect(await storedKeys()).toContain('second-later')
  })

  it('finds resources by logical id and by their path in the app', () => {
    expect(stack.resolve('Items/Table')).toBe('Table')
    expect(stack.outputs['ApiUrl']).toBe(stack.url)
    expect(() => stack.resolve('Nothing')).toThrow('The template has no resource Nothing.')
  })

  it('says in one sentence that its port is taken', async () => {
    const port = Number(new URL(stack.url).port)
    const otherDir = mkdtempSync(join(tmpdir(), 'backstop-stack-'))

    const second = startStack({ template: chainTemplate, stateDir: otherDir, port })

    await expect(second).rejects.toMatchObject({ code: 'PORT_TAKEN', message: expect.stringContaining(`${port}`) })
    rmSync(otherDir, { recursive: true })
  })
})
