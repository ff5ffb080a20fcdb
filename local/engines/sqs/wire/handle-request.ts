import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { SqsError } from '../errors.ts'
import { Fields } from './fields.ts'
import { messageOperations } from './message-operations.ts'
import type { WireContext } from './operation.ts'
import { queueOperations } from './queue-operations.ts'
import { readBody } from './read-body.ts'

const targetPrefix = 'AmazonSQS.'

/** Answers one AWS JSON 1.0 request; what was changed is on disk before the answer leaves. */
export async function handleRequest(
  context: WireContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  try {
    const answer = await runOperation(context, gone.signal, request)
    await context.broker.settled()
    reply(response, 200, answer)
  } catch (error) {
    replyError(response, error)
  }
}

async function runOperation(context: WireContext, signal: AbortSignal, request: IncomingMessage) {
  const body = await readBody(request)
  const target = String(request.headers['x-amz-target'] ?? '')
  const name = target.startsWith(targetPrefix) ? target.slice(targetPrefix.length) : ''
  const operation = messageOperations[name] ?? queueOperations[name]
  if (operation === undefined) {
    throw new SqsError('InvalidAction', `The action "${target}" is not valid for the queues of this machine.`)
  }
  return operation({ ...context, signal }, new Fields(parseJson(body)))
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (cause) {
    throw new SqsError('InvalidParameterValue', `The request body is not JSON: ${String(cause)}`)
  }
}

function replyError(response: ServerResponse, error: unknown): void {
  if (error instanceof SqsError) {
    const { type, queryCode, status } = error.shape
    response.setHeader('x-amzn-query-error', `${queryCode};Sender`)
    reply(response, status, { __type: type, message: error.message })
    return
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  response.setHeader('x-amzn-query-error', 'InternalFailure;Receiver')
  reply(response, 500, { __type: 'com.amazon.coral.service#InternalFailure', message })
}

function reply(response: ServerResponse, status: number, body: Record<string, unknown>): void {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': bytes.length,
    'x-amzn-requestid': randomUUID(),
  })
  response.end(bytes)
}
