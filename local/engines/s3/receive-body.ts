import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { decodeAwsChunked } from './aws-chunked.ts'
import { S3Error } from './errors.ts'

/** A body on disk under a name of its own, flushed. */
export interface ReceivedBody {
  path: string
  size: number
  /** MD5 in hex. */
  md5: string
  /** `x-amz-checksum-…` as sent in a header or trailer, to be kept with the object. */
  checksums: Record<string, string>
}

/**
 * Writes a request's content to a new file in `dir`, and checks it against every digest that came along.
 * @throws S3Error BadDigest, IncompleteBody; then nothing is left on disk
 */
export async function receiveBody(request: IncomingMessage, dir: string): Promise<ReceivedBody> {
  const path = join(dir, randomUUID())
  const file = await open(path, 'wx')
  try {
    const received = await writeBody(request, file)
    await file.sync()
    return { path, ...received }
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

async function writeBody(request: IncomingMessage, file: FileHandle): Promise<Omit<ReceivedBody, 'path'>> {
  const headers = request.headers
  const trailers = new Map<string, string>()
  const chunked = String(headers['x-amz-content-sha256'] ?? '').startsWith('STREAMING-')
  const content: AsyncIterable<Buffer> = chunked ? decodeAwsChunked(request, trailers) : request
  const digests = openDigests()
  let size = 0
  for await (const part of content) {
    await file.writeFile(part)
    digests.update(part)
    size += part.length
  }
  const announced = headers['x-amz-decoded-content-length'] ?? headers['content-length']
  if (announced !== undefined && Number(announced) !== size) {
    throw new S3Error(
      'IncompleteBody',
      'You did not provide the number of bytes specified by the Content-Length header',
    )
  }
  const sent = new Map([...Object.entries(headers), ...trailers].map(([name, value]) => [name, String(value)]))
  const found = digests.finish()
  for (const [name, value] of Object.entries(found)) {
    if (sent.has(name) && sent.get(name) !== value) {
      throw new S3Error('BadDigest', `The ${name} you specified did not match the calculated checksum.`)
    }
  }
  const isChecksum = ([name]: [string, string]) => /^x-amz-checksum-(crc|sha)/.test(name)
  const md5 = Buffer.from(found['content-md5'], 'base64').toString('hex')
  return { size, md5, checksums: Object.fromEntries([...sent].filter(isChecksum)) }
}

function openDigests() {
  const md5 = createHash('md5')
  const sha1 = createHash('sha1')
  const sha256 = createHash('sha256')
  let crc = 0
  return {
    update(part: Buffer) {
      for (const hash of [md5, sha1, sha256]) hash.update(part)
      crc = crc32(part, crc)
    },
    finish() {
      const crcBytes = Buffer.alloc(4)
      crcBytes.writeUInt32BE(crc)
      return {
        'content-md5': md5.digest('base64'),
        'x-amz-checksum-crc32': crcBytes.toString('base64'),
        'x-amz-checksum-sha1': sha1.digest('base64'),
        'x-amz-checksum-sha256': sha256.digest('base64'),
      }
    },
  }
}
