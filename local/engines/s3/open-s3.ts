import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Clock } from '../../host/clock/clock.ts'
import type { Engine } from '../engine.ts'
import { S3Error } from './errors.ts'
import { listObjects } from './list-objects.ts'
import { openObjectFiles } from './object-files.ts'
import { openObjectIndex, type StoredVersion } from './object-index.ts'
import { deleteObject, type ObjectContext, putObject, sendObject } from './object-requests.ts'
import { renderError } from './xml.ts'

/** S3 on this machine, with versioning always on. */
export interface S3Engine extends Engine {
  /** Makes a bucket, unless it is there. @throws S3Error InvalidBucketName */
  createBucket(bucket: string): void
  /** Told after each object written, once it is durable. A kill may lose the call: see `writtenAfter`. */
  onWritten(listener: (version: StoredVersion) => void): void
  /** Versions written after the one with this `seq` (0: from the start), oldest first: what a restart must catch up. */
  writtenAfter(seq: number, limit: number): StoredVersion[]
}

const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const listParameters = [
  'list-type',
  'prefix',
  'delimiter',
  'max-keys',
  'start-after',
  'continuation-token',
  'encoding-type',
  'fetch-owner',
]

/** Opens the buckets kept in `dir`; path-style addresses, no credentials are checked. */
export function openS3({ dir, clock }: { dir: string; clock: Clock }): S3Engine {
  mkdirSync(dir, { recursive: true })
  const files = openObjectFiles(dir)
  const index = openObjectIndex(join(dir, 'index.sqlite'))
  const listeners: ((version: StoredVersion) => void)[] = []

  function createBucket(bucket: string): void {
    if (!bucketName.test(bucket)) throw new S3Error('InvalidBucketName', 'The specified bucket is not valid.')
    index.createBucket(bucket)
  }
  function requireBucket(bucket: string): void {
    if (!index.hasBucket(bucket)) throw new S3Error('NoSuchBucket', 'The specified bucket does not exist')
  }
  function handleBucket(method: string, bucket: string, query: URLSearchParams, response: ServerResponse): void {
    if (method === 'PUT') {
      refuseUnknown(query, [])
      createBucket(bucket)
      response.writeHead(200, { location: `/${bucket}` }).end()
      return
    }
    requireBucket(bucket)
    if (method === 'HEAD') response.writeHead(200, { 'x-amz-bucket-region': 'us-east-1' }).end()
    else if (method === 'GET' && query.get('list-type') === '2') {
      refuseUnknown(query, listParameters)
      response.writeHead(200, { 'content-type': 'application/xml' }).end(listObjects(index, bucket, query))
    } else throw notImplemented()
  }
  async function handleObject(context: ObjectContext, request: IncomingMessage, response: ServerResponse) {
    requireBucket(context.bucket)
    if (request.method === 'PUT') {
      const written = await putObject(context, request, response)
      // The writer has its answer: what fails in a listener is the host's failure, not this request's.
      for (const listener of listeners) queueMicrotask(() => listener(written))
    } else if (request.method === 'GET' || request.method === 'HEAD') await sendObject(context, request, response)
    else if (request.method === 'DELETE') await deleteObject(context, request, response)
    else throw notImplemented()
  }
  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Not `new URL`: it would fold `..` and `//`, which are ordinary in keys.
    const [path = '', search = ''] = (request.url ?? '/').split(/\?(.*)/s)
    const [, bucket = '', ...rest] = path.split('/')
    const key = decodeURIComponent(rest.join('/'))
    const query = new URLSearchParams(search)
    if (bucket === '') throw notImplemented()
    if (key === '') return handleBucket(request.method ?? '', bucket, query, response)
    refuseUnknown(query, ['versionId'])
    const versionId = query.get('versionId') ?? undefined
    await handleObject({ index, files, clock, bucket, key, versionId }, request, response)
  }
  return {
    async handle(request, response) {
      const requestId = randomUUID()
      response.setHeader('x-amz-request-id', requestId)
      try {
        await route(request, response)
      } catch (error) {
        sendError(error, request, response, requestId)
      }
    },
    nextDueAt: () => undefined,
    close: () => index.close(),
    createBucket,
    onWritten: (listener) => void listeners.push(listener),
    writtenAfter: (seq, limit) => index.writtenAfter(seq, limit),
  }
}

function notImplemented(): S3Error {
  return new S3Error('NotImplemented', 'This operation is not implemented locally')
}

/** A sub-resource (`?tagging`, `?uploads`) must not be taken for the plain operation. */
function refuseUnknown(query: URLSearchParams, known: string[]): void {
  const isKnown = (name: string) => known.includes(name) || name === 'x-id' || /^x-amz-/i.test(name)
  if (![...query.keys()].every(isKnown)) throw notImplemented()
}

function sendError(error: unknown, request: IncomingMessage, response: ServerResponse, requestId: string): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const known = error instanceof S3Error ? error : new S3Error('InternalError', String(error))
  const body = request.method === 'HEAD' ? '' : renderError(known, request.url ?? '/', requestId)
  response.writeHead(known.status, { 'content-type': 'application/xml', ...known.headers }).end(body)
}
