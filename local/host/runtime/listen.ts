import { createServer, type RequestListener, type Server } from 'node:http'
import { PortTakenError } from '../../engines/gateway.ts'
import { type GuardRules, guardLocal } from '../../engines/wire/guard-local.ts'

/** A server that answers nothing that a page of another site sent: every one of the local run is made so. */
export function guardedServer(answer: RequestListener, rules: GuardRules = {}): Server {
  return createServer(guardLocal(answer, rules))
}

/**
 * Listens on 127.0.0.1 only.
 * @param port 0 for any free one
 * @returns the address, "http://127.0.0.1:port"
 * @throws PortTakenError
 */
export function listenOnLoopback(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') return reject(error)
      reject(
        new PortTakenError(`Port ${port} is in use by another program: stop it, or give another port.`, {
          cause: error,
        }),
      )
    })
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      const taken = typeof address === 'object' && address !== null ? address.port : port
      resolve(`http://127.0.0.1:${taken}`)
    })
  })
}
