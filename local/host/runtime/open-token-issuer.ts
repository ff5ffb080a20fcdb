import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { PortTakenError } from '../../engines/gateway.ts'
import { guardLocal } from '../../engines/wire/guard-local.ts'
import type { Clock } from '../clock/clock.ts'
import { type Issuer, openIssuer } from '../issuer/open-issuer.ts'
import type { HostState } from './host-state.ts'
import { listenOnLoopback } from './listen.ts'

/** The issuer of the stack's user pool, with an address of its own. */
export interface TokenIssuer {
  url: string
  issuer: Issuer
  close(): Promise<void>
}

/** Opens the issuer at the port that it had before, so that its tokens stay valid over a restart, else at a free one. */
export async function openTokenIssuer(options: {
  stateDir: string
  clock: Clock
  state: HostState
}): Promise<TokenIssuer> {
  let url = ''
  const issuer = await openIssuer({ path: join(options.stateDir, 'issuer.pem'), clock: options.clock, url: () => url })
  const server = createServer(
    guardLocal((request, response) => {
      void issuer.handle(request, response)
    }),
  )
  url = await listenWhereBefore(server, options.state.readNumber('issuer port') ?? 0)
  options.state.writeNumber('issuer port', Number(new URL(url).port))
  return {
    url,
    issuer,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function listenWhereBefore(server: Server, port: number): Promise<string> {
  try {
    return await listenOnLoopback(server, port)
  } catch (error) {
    if (!(error instanceof PortTakenError)) throw error
    return listenOnLoopback(server, 0)
  }
}
