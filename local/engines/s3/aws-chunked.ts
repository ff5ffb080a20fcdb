import { S3Error } from './errors.ts'

const maxLineBytes = 8_192

/**
 * The content inside an `aws-chunked` body, as the SDK sends streams of unknown checksum.
 * Chunk signatures are skipped over. @param trailers filled, in lower case, before the iteration ends
 * Source: "Signature calculations for the Authorization header: transferring payload in multiple chunks", S3 API.
 */
export async function* decodeAwsChunked(
  body: AsyncIterable<Buffer>,
  trailers: Map<string, string>,
): AsyncGenerator<Buffer> {
  const input = body[Symbol.asyncIterator]()
  let pending: Buffer = Buffer.alloc(0)

  async function fill(): Promise<void> {
    const next = await input.next()
    if (next.done) throw new S3Error('IncompleteBody', 'The body ended before its last chunk.')
    pending = pending.length === 0 ? next.value : Buffer.concat([pending, next.value])
  }
  async function readLine(): Promise<string> {
    for (;;) {
      const end = pending.indexOf('\r\n')
      if (end >= 0) {
        const line = pending.subarray(0, end).toString()
        pending = pending.subarray(end + 2)
        return line
      }
      if (pending.length > maxLineBytes) throw new S3Error('InvalidArgument', 'A chunk header is too long.')
      await fill()
    }
  }

  for (let left = readChunkSize(await readLine()); left > 0; left = readChunkSize(await readLine())) {
    while (left > 0) {
      if (pending.length === 0) await fill()
      const part = pending.subarray(0, left)
      pending = pending.subarray(part.length)
      left -= part.length
      yield part
    }
    await readLine()
  }
  for (let line = await readLine(); line !== ''; line = await readLine()) {
    const colon = line.indexOf(':')
    trailers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
}

function readChunkSize(line: string): number {
  const [size = ''] = line.split(';')
  if (!/^[0-9a-f]{1,10}$/i.test(size)) throw new S3Error('InvalidArgument', 'A chunk has no size.')
  return Number.parseInt(size, 16)
}
