import { request } from 'node:http'
import { guardedServer, listenOnLoopback } from '../../host/runtime/listen.ts'

/** Stands between the channels and the API, and takes the time of every answer. */
export interface AckMeter {
  readonly url: string
  /** The answer's time in ms below which `share` of the callbacks were answered; `undefined` without any. */
  percentile(share: number): number | undefined
  readonly count: () => number
  stop(): void
}

/** Opens a meter before `target()`, bytes and headers unchanged. */
export async function startAckMeter(target: () => string): Promise<AckMeter> {
  const timesMs: number[] = []
  const server = guardedServer((incoming, outgoing) => {
    const startedAt = performance.now()
    const onward = request(
      `${target()}${incoming.url ?? ''}`,
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
        answer.once('end', () => timesMs.push(performance.now() - startedAt))
      },
    )
    onward.once('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  const url = await listenOnLoopback(server, 0)
  return {
    url,
    percentile: (share) => timesMs.toSorted((a, b) => a - b)[Math.floor(timesMs.length * share)],
    count: () => timesMs.length,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
