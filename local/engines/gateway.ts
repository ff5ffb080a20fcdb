import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Engine } from './engine.ts'
import { guardLocal } from './wire/guard-local.ts'

/** The engines behind the one address that AWS_ENDPOINT_URL names. */
export interface GatewayEngines {
  sqs: Engine
  scheduler: Engine
  s3: Engine
  secretsManager: Engine
  eventBridge: Engine
  stepFunctions: Engine
}

export interface Gateway {
  url: string
  port: number
  /** Stops listening and cuts open connections; the engines stay open. */
  close(): Promise<void>
  /** Requests not answered yet, long polls included. */
  inFlight(): number
}

/** The port asked for belongs to another program. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError'
  readonly code = 'PORT_TAKEN'
}

// Longer than any client keeps an idle connection, so that none is closed under a request on its way.
const keepAliveTimeoutMs = 120_000

/**
 * Serves all engines on one port of 127.0.0.1; which one a request is for shows in its target header or its path.
 * @param options.port 0 or nothing for a free one
 * @throws PortTakenError
 */
export async function startGateway(options: { engines: GatewayEngines; port?: number }): Promise<Gateway> {
  let inFlight = 0
  const answer = guardLocal((request, response) => {
    inFlight++
    response.once('close', () => inFlight--)
    const engine = routeRequest(request, options.engines)
    if (engine === undefined) return sendUnknownTarget(response)
    engine.handle(request, response).catch((error: unknown) => sendPlainError(response, 500, String(error)))
  })
  const server = createServer({ keepAlive: true, keepAliveTimeout: keepAliveTimeoutMs }, answer)
  server.listen(options.port ?? 0, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw nameListenError(cause, options.port)
  }
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The gateway has no port.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
    inFlight: () => inFlight,
  }
}

function routeRequest(request: IncomingMessage, engines: GatewayEngines): Engine | undefined {
  const target = request.headers['x-amz-target']
  if (target !== undefined) {
    const [service] = String(target).split('.')
    if (service === 'AmazonSQS') return engines.sqs
    if (service === 'secretsmanager') return engines.secretsManager
    if (service === 'AWSStepFunctions') return engines.stepFunctions
    return service === 'AWSEvents' ? engines.eventBridge : undefined
  }
  return /^\/(schedules|schedule-groups)([/?]|$)/.test(request.url ?? '') ? engines.scheduler : engines.s3
}

function sendUnknownTarget(response: ServerResponse): void {
  const body = { __type: 'UnknownOperationException', message: 'No local engine serves this operation.' }
  response.writeHead(400, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body))
}

function sendPlainError(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) response.destroy()
  else response.writeHead(status, { 'content-type': 'text/plain' }).end(message)
}

function nameListenError(cause: unknown, port: number | undefined): unknown {
  if (!(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) return cause
  return new PortTakenError(`Port ${port} is taken: stop the program that listens there, or choose another port.`, {
    cause,
  })
}
