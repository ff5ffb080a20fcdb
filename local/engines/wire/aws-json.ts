import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'

const maxBodyBytes = 4 * 1024 * 1024

/** A refusal of a JSON-protocol service; `code` is the exception's name in its API reference. */
export class AwsJsonError extends Error {
  override readonly name = 'AwsJsonError'
  readonly code: string
  readonly status: number

  constructor(code: string, message: string, status = 400) {
    super(message)
    this.code = code
    this.status = status
  }
}

/** Answers one operation of a service: takes the parsed input, returns the output; throws AwsJsonError to refuse. */
export type Operation = (input: unknown) => object | Promise<object>

/** An operation whose input is checked against a schema first. */
export function operation<T>(schema: z.ZodType<T>, run: (input: T) => object | Promise<object>): Operation {
  return (input) => {
    const parsed = schema.safeParse(input)
    if (!parsed.success) throw new AwsJsonError('ValidationException', z.prettifyError(parsed.error))
    return run(parsed.data)
  }
}

/**
 * Serves the AWS JSON protocol, version 1.0 or 1.1 as the client speaks it: the operation's name stands after the dot
 * in X-Amz-Target. Never throws.
 */
export async function serveAwsJson(
  operations: Record<string, Operation>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.setHeader('content-type', request.headers['content-type'] ?? 'application/x-amz-json-1.1')
  try {
    const target = String(request.headers['x-amz-target'] ?? '')
    const body = await readBody(request)
    const run = operations[target.slice(target.indexOf('.') + 1)]
    if (!run) throw new AwsJsonError('UnknownOperationException', `${target} is not implemented locally.`)
    send(response, 200, await run(parseJson(body)))
  } catch (error) {
    const known = error instanceof AwsJsonError ? error : new AwsJsonError('InternalServiceError', String(error), 500)
    send(response, known.status, { __type: known.code, message: known.message })
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status).end(JSON.stringify(body))
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    size += part.length
    // Read on to the end, so that the answer reaches a client that is still sending.
    if (size <= maxBodyBytes) parts.push(part)
  }
  if (size > maxBodyBytes) throw new AwsJsonError('RequestEntityTooLargeException', 'The body is too large.', 413)
  return Buffer.concat(parts).toString()
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body || '{}')
  } catch {
    throw new AwsJsonError('SerializationException', 'The body is not JSON.')
  }
}
