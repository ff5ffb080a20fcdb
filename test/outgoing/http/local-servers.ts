import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

async function listen(server: Server): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  return (server.address() as AddressInfo).port
}

function stopAfterTest(server: Server): void {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
}

/** A real HTTP server for one test. @returns its base address */
export async function serveHttp(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  stopAfterTest(server)
  return `http://127.0.0.1:${await listen(server)}`
}

/** A real TCP server for one test, which speaks no protocol of its own. @returns its `host:port` */
export async function serveTcp(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    onConnection(socket)
  })
  stopAfterTest(server)
  return `127.0.0.1:${await listen(server)}`
}

/** A port of this machine where nobody listens. */
export async function closedPort(): Promise<string> {
  const server = createTcpServer()
  const port = await listen(server)
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  await promise
  return `127.0.0.1:${port}`
}
