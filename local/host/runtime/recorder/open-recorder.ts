import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { guardLocal } from '../../../engines/wire/guard-local.ts'
import { type AwsCall, callsOfRequest, type Place } from './calls-of-request.ts'

/** A call with who made it. */
export interface RecordedCall extends AwsCall {
  /** Logical id of the function. */
  readonly functionId: string
}

/** Addresses of the engines that tell of each call before they pass it on. */
export interface Recorder {
  readonly gatewayUrl: string
  readonly dynamodbUrl: string
  close(): Promise<void>
}

export interface RecorderOptions {
  /** Where the engines are. */
  readonly gatewayUrl: string
  readonly dynamodbUrl: string
  readonly place: Place
  readonly record: (call: RecordedCall) => void
}

/**
 * Stands between the functions and the engines. A function shows by its access key id, which is its logical id while calls are
 * recorded; the host's own calls pass untold. What cannot be read is answered with 500 and its reason, never passed on unseen.
 */
export async function openRecorder({ place, record, ...engines }: RecorderOptions): Promise<Recorder> {
  const agent = new Agent({ keepAlive: true })
  const open = (engineUrl: string) =>
    listen(async (request, response) => {
      const body = await buffer(request)
      const functionId = callerOf(request)
      const { method = '', url = '', headers } = request
      const target = headers['x-amz-target']
      if (functionId !== HOST) {
        const read = { method, url, target: target?.toString(), body: body.toString('utf8') }
        for (const call of callsOfRequest(read, place)) record({ ...call, functionId })
      }
      passOn({ request, body, response, engineUrl, agent })
    })
  const [gateway, dynamodb] = await Promise.all([open(engines.gatewayUrl), open(engines.dynamodbUrl)])
  return {
    gatewayUrl: gateway.url,
    dynamodbUrl: dynamodb.url,
    close: async () => {
      await Promise.all([gateway.close(), dynamodb.close()])
      agent.destroy()
    },
  }
}

/** The access key id of the host and of its own clients. */
const HOST = 'local'

function callerOf(request: IncomingMessage): string {
  return /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? HOST
}

async function listen(take: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
  const server = createServer(
    guardLocal((request, response) => {
      take(request, response).catch((error: unknown) => refuse(response, 500, error))
    }),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The recorder has no port.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

interface Passing {
  readonly request: IncomingMessage
  readonly body: Buffer
  readonly response: ServerResponse
  readonly engineUrl: string
  readonly agent: Agent
}

function passOn({ request, body, response, engineUrl, agent }: Passing): void {
  const onward = sendRequest(new URL(request.url ?? '/', engineUrl), {
    method: request.method,
    headers: request.headers,
    agent,
  })
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  onward.on('error', (error) => refuse(response, 502, error))
  response.on('close', () => onward.destroy())
  onward.end(body)
}

function refuse(response: ServerResponse, status: number, error: unknown): void {
  if (response.headersSent) response.destroy()
  else response.writeHead(status, { 'content-type': 'text/plain' }).end(String(error))
}
