import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Engine } from '../../../../local/engines/engine.ts'

/** An engine behind a server of its own, for one test file. */
export async function serveEngine(engine: Pick<Engine, 'handle'>): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => void engine.handle(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
