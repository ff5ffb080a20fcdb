import { createServer, type IncomingMessage } from 'node:http'
import { afterAll } from 'vitest'
import { routeList } from '../../functions/orders/routes.ts'
import { listenOnLoopback } from '../../local/host/runtime/listen.ts'
import { matchRoute } from '../../local/host/runtime/match-route.ts'
import { routeKeyOf } from '../../modules/http-api/route-table.ts'
import type { OrdersApi } from '../orders/orders-api.ts'

/** An answer that is sent instead of the API's own; `after` it has done its work or before. */
export interface CannedAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
  readonly after?: boolean
}

export interface ApiServer {
  readonly url: string
  /** Requests that came, with their token. */
  readonly received: { readonly route: string; readonly authorization: string | undefined }[]
  /** The next answers to stand in; each once. */
  readonly canned: CannedAnswer[]
}

const routes = routeList.map((route) => ({ routeKey: routeKeyOf(route) }))

/** The orders API behind real HTTP. */
export async function serveApi(api: OrdersApi): Promise<ApiServer> {
  const received: ApiServer['received'] = []
  const canned: CannedAnswer[] = []
  const server = createServer((request, response) => {
    void answer(request).then(({ status, headers, body }) => response.writeHead(status, headers).end(body))
  })
  const answer = async (request: IncomingMessage): Promise<CannedAnswer> => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const match = matchRoute(routes, request.method ?? 'GET', url.pathname)
    const routeKey = match?.route.routeKey ?? 'none'
    received.push({ route: routeKey, authorization: request.headers.authorization })
    const instead = canned.shift()
    if (instead !== undefined && instead.after !== true) return instead
    const body = await readBody(request)
    const own = await api.send(routeKey, {
      path: match?.pathParameters ?? {},
      query: Object.fromEntries(url.searchParams),
      ...(body !== '' && { body }),
      headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    })
    const headers = Object.fromEntries(Object.entries(own.headers).map(([name, value]) => [name, String(value)]))
    return instead ?? { status: own.status, headers, body: own.text }
  }
  const url = await listenOnLoopback(server, 0)
  afterAll(() => new Promise((resolve) => server.close(resolve)))
  return { url, received, canned }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}
