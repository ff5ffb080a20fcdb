import type { IncomingHttpHeaders } from 'node:http'
import { noSuchKey, preconditionFailed, S3Error } from './errors.ts'
import type { StoredVersion } from './object-index.ts'

/**
 * Checks the conditions of a write against what is current.
 * Source: "Conditional writes", S3 guide: `If-None-Match` takes only `*`; `If-Match` on a missing key is NoSuchKey.
 */
export function checkWriteConditions(headers: IncomingHttpHeaders, current: StoredVersion | undefined): void {
  const there = current?.deleteMarker ? undefined : current
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers
  if (ifNoneMatch !== undefined && ifNoneMatch !== '*') {
    throw new S3Error('NotImplemented', 'A header you provided implies functionality that is not implemented')
  }
  if (ifNoneMatch === '*' && there) throw preconditionFailed()
  if (ifMatch === undefined) return
  if (!there) throw noSuchKey()
  if (!namesEtag(ifMatch, there.etag)) throw preconditionFailed()
}

/**
 * Checks the conditions of a read.
 * @returns false when the reader's copy is still good (304)
 * @throws S3Error PreconditionFailed
 */
export function needsSending(headers: IncomingHttpHeaders, version: StoredVersion): boolean {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers
  // HTTP dates have whole seconds.
  const modifiedMs = Math.floor(version.lastModifiedMs / 1000) * 1000
  const since = (date: string | undefined) => date !== undefined && modifiedMs > Date.parse(date)
  if (ifMatch !== undefined) {
    if (!namesEtag(ifMatch, version.etag)) throw preconditionFailed()
  } else if (since(headers['if-unmodified-since'])) {
    throw preconditionFailed()
  }
  if (ifNoneMatch !== undefined) return !namesEtag(ifNoneMatch, version.etag)
  return headers['if-modified-since'] === undefined || since(headers['if-modified-since'])
}

function namesEtag(header: string, etag: string): boolean {
  return header.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^(W\/)?"(.*)"$/, '$2')))
}
