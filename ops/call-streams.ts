import { setTimeout as sleep } from 'node:timers/promises'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { z } from 'zod'

/** One call of the DynamoDB Streams API (2012-08-10). @throws StreamsError */
export type CallStreams = (operation: 'GetShardIterator' | 'GetRecords', input: object) => Promise<unknown>

/** The stream refused a call; `code` is the exception's name in its API reference. */
export class StreamsError extends Error {
  override readonly name = 'StreamsError'
  readonly code: string

  constructor(operation: string, code: string, message: string) {
    super(`${operation} was answered ${code}: ${message}`)
    this.code = code
  }
}

const TIMEOUT_MS = 10_000
const MAX_TRIES = 5
const FIRST_WAIT_MS = 200
/** A shard serves two readers well, and Lambda is both of them: a third one has to wait now and then. */
const REPEATED: ReadonlySet<string> = new Set([
  'InternalServerError',
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
])
const refusal = z.object({ __type: z.string().default('UnknownError'), message: z.string().default('') })

/**
 * Calls the streams of the tables that a client reaches, with its credentials: the two operations that are needed here do not
 * make up for an SDK client of their own.
 */
export function openStreams(client: DynamoDBClient): CallStreams {
  return async (operation, input) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await callOnce(client, operation, JSON.stringify(input))
      } catch (error) {
        if (!(error instanceof StreamsError && REPEATED.has(error.code)) || attempt === MAX_TRIES) throw error
        await sleep(FIRST_WAIT_MS * 2 ** (attempt - 1))
      }
    }
  }
}

async function callOnce(client: DynamoDBClient, operation: string, body: string): Promise<unknown> {
  const url = await addressOfStreams(client)
  const signer = await client.config.signer()
  const { headers } = await signer.sign({
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    ...(url.port !== '' && { port: Number(url.port) }),
    path: '/',
    query: {},
    headers: {
      host: url.host,
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
    },
    body,
  })
  const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) })
  const text = await answer.text()
  if (answer.ok) return JSON.parse(text)
  const { __type, message } = refusal.safeParse(parse(text)).data ?? refusal.parse({})
  throw new StreamsError(operation, __type.split('#').at(-1) ?? __type, message)
}

/** Where a client's streams are: on AWS beside the tables, on a host of their own; else where its tables are. */
export async function addressOfStreams({ config }: DynamoDBClient): Promise<URL> {
  const endpoint = await config.endpoint?.()
  if (endpoint !== undefined) {
    const { protocol, hostname, port } = endpoint
    return new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}/`)
  }
  const region = await config.region()
  return new URL(`https://streams.dynamodb.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {} // A proxy's page and no answer of the service.
  }
}
