import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'

export interface Received {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** An HTTP server of a merchant on this machine, until the test is over. */
export async function startReceiver(answer: (response: ServerResponse, request: IncomingMessage) => void) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    received.push({ headers, body: Buffer.concat(chunks).toString('utf8') })
    answer(response, request)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { received, origin: `http://127.0.0.1:${address.port}`, port: address.port }
}
