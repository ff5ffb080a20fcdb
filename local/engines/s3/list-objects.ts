import { S3Error } from './errors.ts'
import type { ObjectIndex, StoredVersion } from './object-index.ts'
import { escapeXml } from './xml.ts'

const maxPage = 1_000
// No UTF-8 text holds this byte, so every key sorts before it.
const afterAllKeys = Buffer.from([0xff])

/**
 * The answer to ListObjectsV2: keys in UTF-8 byte order, folded at the delimiter.
 * The continuation token is the place, in bytes, at which the next page begins.
 */
export function listObjects(index: ObjectIndex, bucket: string, query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? ''
  const delimiter = query.get('delimiter') ?? ''
  const maxKeys = readMaxKeys(query.get('max-keys'))
  const end = prefix === '' ? afterAllKeys : endOfPrefix(prefix)
  const contents: StoredVersion[] = []
  const commonPrefixes: string[] = []
  let from = firstPlace(prefix, query.get('start-after'), query.get('continuation-token'))
  let next = index.firstBetween(bucket, from, end)
  while (next && contents.length + commonPrefixes.length < maxKeys) {
    const fold = delimiter === '' ? -1 : next.key.indexOf(delimiter, prefix.length)
    if (fold < 0) {
      contents.push(next)
      from = placeAfter(next.key)
    } else {
      const common = next.key.slice(0, fold + delimiter.length)
      commonPrefixes.push(common)
      from = endOfPrefix(common)
    }
    next = index.firstBetween(bucket, from, end)
  }
  const truncated = next !== undefined && maxKeys > 0
  const encode = query.get('encoding-type') === 'url' ? encodeURIComponent : escapeXml
  return [
    '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">',
    `<Name>${bucket}</Name><Prefix>${encode(prefix)}</Prefix>`,
    delimiter && `<Delimiter>${encode(delimiter)}</Delimiter>`,
    query.has('encoding-type') && '<EncodingType>url</EncodingType>',
    `<MaxKeys>${maxKeys}</MaxKeys><KeyCount>${contents.length + commonPrefixes.length}</KeyCount>`,
    `<IsTruncated>${truncated}</IsTruncated>`,
    truncated && `<NextContinuationToken>${from.toString('base64url')}</NextContinuationToken>`,
    ...contents.map((version) => renderObject(version, encode)),
    ...commonPrefixes.map((common) => `<CommonPrefixes><Prefix>${encode(common)}</Prefix></CommonPrefixes>`),
    '</ListBucketResult>',
  ]
    .filter(Boolean)
    .join('')
}

function renderObject(version: StoredVersion, encode: (key: string) => string): string {
  const modified = new Date(version.lastModifiedMs).toISOString()
  return (
    `<Contents><Key>${encode(version.key)}</Key><LastModified>${modified}</LastModified>` +
    `<ETag>&quot;${version.etag}&quot;</ETag><Size>${version.size}</Size><StorageClass>STANDARD</StorageClass></Contents>`
  )
}

function firstPlace(prefix: string, startAfter: string | null, token: string | null): Buffer {
  if (token !== null) return Buffer.from(token, 'base64url')
  const places = [Buffer.from(prefix), startAfter ? placeAfter(startAfter) : Buffer.alloc(0)]
  return places.sort(Buffer.compare).at(-1) ?? Buffer.alloc(0)
}

function placeAfter(key: string): Buffer {
  return Buffer.concat([Buffer.from(key), Buffer.from([0])])
}

function endOfPrefix(prefix: string): Buffer {
  const bytes = Buffer.from(prefix)
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) + 1, bytes.length - 1)
  return bytes
}

function readMaxKeys(text: string | null): number {
  const maxKeys = Number(text ?? maxPage)
  if (!Number.isInteger(maxKeys) || maxKeys < 0) throw new S3Error('InvalidArgument', 'max-keys is not a count.')
  return Math.min(maxKeys, maxPage)
}
