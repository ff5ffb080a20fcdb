import type { IncomingMessage } from 'node:http'

// 1 MiB of control characters, escaped six to one, and attributes beside it.
const maxBodyBytes = 8 * 1_048_576

/** The body of a request as text. @throws Error above 8 MiB */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    const part = Buffer.from(chunk)
    bytes += part.length
    if (bytes > maxBodyBytes) throw new Error(`a request body may have ${maxBodyBytes} bytes`)
    chunks.push(part)
  }
  return Buffer.concat(chunks).toString()
}
