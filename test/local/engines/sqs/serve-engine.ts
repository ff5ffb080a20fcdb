import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Engine } from '../../../../local/engines/engine.ts'

/** Serves an engine on a free loopback port, until `stop`. */
export async function serveEngine(engine: Pick<Engine, 'handle'>): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = createServer((request, response) => {
    engine.handle(request, response).catch((error: unknown) => response.destroy(new Error(String(error))))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port }: AddressInfo = parseAddress(server.address())
  const stop = (): Promise<void> => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(() => resolve()))
  }
  return { url: `http://127.0.0.1:${port}`, stop }
}

function parseAddress(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address
}
