import { createServer } from 'node:http'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterEach, expect, it } from 'vitest'
import { addressOfStreams, openStreams } from '../../ops/call-streams.ts'

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }
let stop = async () => {}
afterEach(() => stop())

interface Seen {
  readonly target: string
  readonly authorization: string
  readonly body: string
}

/** A service that gives these answers in turn. */
async function serve(answers: readonly (readonly [status: number, body: object | string])[]) {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { 'x-amz-target': target = '', authorization = '' } = request.headers
    const [status, answer] = answers[seen.length] ?? [500, 'nothing left to say']
    seen.push({ target: String(target), authorization, body })
    response.writeHead(status).end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stop = () => new Promise((resolve) => server.close(() => resolve()))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const client = new DynamoDBClient({ region: 'eu-west-1', credentials, endpoint: `http://127.0.0.1:${port}` })
  return { call: openStreams(client), seen }
}

it('a call is signed for the tables` service, and its answer is handed on', async () => {
  const { call, seen } = await serve([[200, { ShardIterator: 'i' }]])

  expect(await call('GetShardIterator', { ShardId: 's' })).toEqual({ ShardIterator: 'i' })
  expect(seen[0]).toMatchObject({ target: 'DynamoDBStreams_20120810.GetShardIterator', body: '{"ShardId":"s"}' })
  expect(seen[0]?.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/dynamodb\/aws4_request, SignedHeaders=.*x-amz-target/,
  )
})

it('a shard that has too many readers is asked again', async () => {
  const limited = { __type: 'com.amazonaws.dynamodb.v20120810#LimitExceededException', message: 'slow down' }
  const { call, seen } = await serve([
    [400, limited],
    [200, { Records: [] }],
  ])

  expect(await call('GetRecords', {})).toEqual({ Records: [] })
  expect(seen).toHaveLength(2)
})

it('a refusal is told by its name, and a page of somebody between is none', async () => {
  const trimmed = { __type: 'com.amazonaws.dynamodb.v20120810#TrimmedDataAccessException', message: 'gone' }
  const { call } = await serve([
    [400, trimmed],
    [502, '<html>'],
  ])

  await expect(call('GetRecords', {})).rejects.toMatchObject({ code: 'TrimmedDataAccessException' })
  await expect(call('GetRecords', {})).rejects.toMatchObject({ code: 'UnknownError' })
})

it('streams have a host of their own on AWS, also in China', async () => {
  const addressIn = (region: string) => addressOfStreams(new DynamoDBClient({ region, credentials }))

  expect(String(await addressIn('us-east-1'))).toBe('https://streams.dynamodb.us-east-1.amazonaws.com/')
  expect(String(await addressIn('cn-north-1'))).toBe('https://streams.dynamodb.cn-north-1.amazonaws.com.cn/')
})
