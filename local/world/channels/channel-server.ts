import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { guardedServer, listenOnLoopback } from '../../host/runtime/listen.ts'
import { type ApiAnswer, type ApiRequest, answerJson } from './protocol.ts'

const MAX_BODY_BYTES = 1024 * 1024

/** What to do with a request: answer it, answer it after a pause, or cut the connection. */
export type Reaction =
  | { readonly kind: 'answer'; readonly answer: ApiAnswer }
  | { readonly kind: 'late'; readonly waitMs: number; readonly answer: () => ApiAnswer }
  | { readonly kind: 'cut' }

export interface ChannelServer {
  readonly url: string
  /** Requests that are not answered yet. */
  inFlight(): number
  close(): Promise<void>
}

/**
 * Serves one channel on 127.0.0.1.
 * @param react called with the whole request; a throw is a 500 with its message, since only a bug throws
 * @throws PortTakenError
 */
export async function openChannelServer(
  port: number,
  react: (request: ApiRequest) => Reaction,
): Promise<ChannelServer> {
  let inFlight = 0
  const server = guardedServer(answer, { jsonOnly: (path) => path.startsWith('/control/') })
  const url = await listenOnLoopback(server, port)
  function answer(request: IncomingMessage, response: ServerResponse): void {
    inFlight += 1
    response.once('close', () => {
      inFlight -= 1
    })
    serve(request, response, react).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) response.destroy()
      else send(response, answerJson(500, { code: 'SIMULATOR_BUG', message: String(error) }))
    })
  }
  return {
    url,
    inFlight: () => inFlight,
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  react: (request: ApiRequest) => Reaction,
): Promise<void> {
  const body = await readBody(request)
  if (body === undefined) return send(response, answerJson(413, { code: 'TOO_LARGE', message: 'At most 1 MiB.' }))
  const target = request.url ?? '/'
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  )
  const method = request.method ?? 'GET'
  const reaction = react({ method, target, url: new URL(target, 'http://127.0.0.1'), headers, body })
  switch (reaction.kind) {
    case 'answer':
      return send(response, reaction.answer)
    case 'late':
      if (await outwait(response, reaction.waitMs)) send(response, reaction.answer())
      return
    case 'cut':
      request.socket.destroy()
      return
    default:
      return reaction satisfies never
  }
}

/** @returns false when the client gave up before */
async function outwait(response: ServerResponse, waitMs: number): Promise<boolean> {
  if (response.destroyed) return false
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  try {
    await sleep(waitMs, undefined, { signal: gone.signal })
    return true
  } catch {
    return false
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_BODY_BYTES) return undefined
  }
  return Buffer.concat(chunks)
}

function send(response: ServerResponse, answer: ApiAnswer): void {
  response.writeHead(answer.status, answer.headers)
  response.end(answer.body)
}
