import type { IncomingMessage, ServerResponse } from 'node:http'

/** One AWS service on this machine, spoken to by the unmodified SDK clients over HTTP. */
export interface Engine {
  /** Answers one request of the service's wire protocol. Never throws: a bug is a 500 with the message. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** When, in ms since the epoch, the engine has something to do next; `undefined` when nothing is planned. */
  nextDueAt(): number | undefined
  /** Flushes and closes; the state stays on disk. */
  close(): void
}
