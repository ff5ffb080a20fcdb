import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Clock } from '../../host/clock/clock.ts'
import { checkWriteConditions, needsSending } from './conditions.ts'
import { noSuchKey, S3Error } from './errors.ts'
import type { ObjectFiles } from './object-files.ts'
import type { ObjectIndex, StoredVersion } from './object-index.ts'
import { parseRange } from './range.ts'
import { receiveBody } from './receive-body.ts'

/** What a request on one object works with. */
export interface ObjectContext {
  index: ObjectIndex
  files: ObjectFiles
  clock: Clock
  bucket: string
  key: string
  versionId: string | undefined
}

const maxKeyBytes = 1_024
const keptHeaders = ['cache-control', 'content-disposition', 'content-language', 'content-type', 'expires']

/** PutObject: the answer is sent when content and index are on disk. */
export async function putObject(
  context: ObjectContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<StoredVersion> {
  const { index, files, clock, bucket, key } = context
  if (Buffer.byteLength(key) > maxKeyBytes) throw new S3Error('KeyTooLongError', 'Your key is too long')
  if (request.headers['x-amz-copy-source'] !== undefined) {
    throw new S3Error('NotImplemented', 'CopyObject is not implemented locally')
  }
  const body = await receiveBody(request, files.incomingDir)
  const versionId = randomBytes(24).toString('base64url')
  const file = await files.keep(body.path, JSON.stringify([bucket, key, versionId]))
  const headers = { ...keepHeaders(request.headers), ...body.checksums }
  const lastModifiedMs = clock.now()
  const version = {
    bucket,
    key,
    versionId,
    deleteMarker: false,
    size: body.size,
    etag: body.md5,
    file,
    lastModifiedMs,
    headers,
  }
  try {
    const stored = index.add(version, (current) => checkWriteConditions(request.headers, current))
    response.writeHead(200, { etag: `"${body.md5}"`, 'x-amz-version-id': versionId, ...body.checksums }).end()
    return stored
  } catch (error) {
    await files.discard(file)
    throw error
  }
}

/** GetObject and HeadObject. */
export async function sendObject(
  context: ObjectContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const version = findVersion(context)
  const range = parseRange(request.headers.range, version.size)
  const headers = describeVersion(version, request.headers['x-amz-checksum-mode'] === 'ENABLED' && !range)
  if (!needsSending(request.headers, version)) {
    response.writeHead(304, { etag: headers['etag'] }).end()
    return
  }
  const { start, end } = range ?? { start: 0, end: version.size - 1 }
  response.writeHead(range ? 206 : 200, {
    ...headers,
    'content-length': end - start + 1,
    ...(range && { 'content-range': `bytes ${start}-${end}/${version.size}` }),
  })
  if (request.method === 'HEAD' || version.size === 0) response.end()
  else await pipeline(createReadStream(context.files.path(version.file), { start, end }), response)
}

/** DeleteObject: a marker, or one version for good. */
export async function deleteObject(
  context: ObjectContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { index, files, clock, bucket, key } = context
  if (context.versionId === undefined) {
    const versionId = randomBytes(24).toString('base64url')
    const marker = { bucket, key, versionId, deleteMarker: true, size: 0, etag: '', file: '', headers: {} }
    index.add({ ...marker, lastModifiedMs: clock.now() }, (current) => {
      if (request.headers['if-match'] !== undefined) checkWriteConditions(request.headers, current)
    })
    response.writeHead(204, { 'x-amz-delete-marker': 'true', 'x-amz-version-id': versionId }).end()
    return
  }
  const version = index.version(bucket, key, context.versionId)
  if (version) {
    index.remove(version)
    if (!version.deleteMarker) await files.discard(version.file)
  }
  response.writeHead(204, { 'x-amz-version-id': context.versionId }).end()
}

function findVersion({ index, bucket, key, versionId }: ObjectContext): StoredVersion {
  const version = versionId === undefined ? index.current(bucket, key) : index.version(bucket, key, versionId)
  if (!version && versionId !== undefined) {
    throw new S3Error('NoSuchVersion', 'The specified version does not exist.')
  }
  if (!version) throw noSuchKey()
  if (version.deleteMarker) throw noSuchKey({ 'x-amz-delete-marker': 'true', 'x-amz-version-id': version.versionId })
  return version
}

function describeVersion(version: StoredVersion, withChecksum: boolean): Record<string, string> {
  const kept = Object.entries(version.headers).filter(([name]) => withChecksum || !name.startsWith('x-amz-checksum-'))
  return {
    'content-type': 'binary/octet-stream',
    ...Object.fromEntries(kept),
    'accept-ranges': 'bytes',
    etag: `"${version.etag}"`,
    'last-modified': new Date(version.lastModifiedMs).toUTCString(),
    'x-amz-version-id': version.versionId,
    ...(withChecksum && kept.length > 0 && { 'x-amz-checksum-type': 'FULL_OBJECT' }),
  }
}

function keepHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const isKept = (name: string) => keptHeaders.includes(name) || name.startsWith('x-amz-meta-')
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    isKept(name) && value ? [[name, String(value)]] : [],
  )
  // `aws-chunked` is how the body travelled, not how the content is coded.
  const codings = (headers['content-encoding'] ?? '').split(',').map((coding) => coding.trim())
  const encoding = codings.filter((coding) => coding !== '' && coding !== 'aws-chunked').join(', ')
  return { ...Object.fromEntries(kept), ...(encoding !== '' && { 'content-encoding': encoding }) }
}
