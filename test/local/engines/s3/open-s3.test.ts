import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openS3, type S3Engine } from '../../../../local/engines/s3/open-s3.ts'
import { serveEngine } from './serve-engine.ts'

const dir = mkdtempSync(join(tmpdir(), 'backstop-s3-'))
const clock = { now: () => Date.parse('2026-11-30T10:00:00.500Z'), onLeap: () => {} }
const Bucket = 'bills'
let s3: S3Engine
let server: Awaited<ReturnType<typeof serveEngine>>
let client: S3Client

async function open(): Promise<void> {
  s3 = openS3({ dir, clock })
  server = await serveEngine(s3)
  client = new S3Client({
    endpoint: server.url,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })
}
async function close(): Promise<void> {
  client.destroy()
  await server.close()
  s3.close()
}

beforeAll(async () => {
  await open()
  await client.send(new CreateBucketCommand({ Bucket }))
})
afterAll(async () => {
  await close()
  rmSync(dir, { recursive: true })
})

const put = (Key: string, Body: string | Uint8Array = Key) => client.send(new PutObjectCommand({ Bucket, Key, Body }))
const getText = async (Key: string) =>
  (await client.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString()

it('an object comes back with its bytes, type, metadata and MD5 as ETag', async () => {
  const bytes = Buffer.from([0, 255, 13, 10, 128])
  const written = await client.send(
    new PutObjectCommand({
      Bucket,
      Key: 'raw/1',
      Body: bytes,
      ContentType: 'text/csv',
      ContentEncoding: 'gzip',
      Metadata: { channel: 'alipay' },
    }),
  )

  const read = await client.send(new GetObjectCommand({ Bucket, Key: 'raw/1' }))
  const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'raw/1' }))

  const ETag = `"${createHash('md5').update(bytes).digest('hex')}"`
  const expected = {
    ETag,
    ContentType: 'text/csv',
    ContentEncoding: 'gzip',
    Metadata: { channel: 'alipay' },
    ContentLength: 5,
    VersionId: written.VersionId,
  }
  expect(Buffer.from((await read.Body?.transformToByteArray()) ?? [])).toEqual(bytes)
  expect(read).toMatchObject(expected)
  expect(head).toMatchObject({ ...expected, LastModified: new Date('2026-11-30T10:00:00Z') })
  expect(written).toMatchObject({ ETag, ChecksumCRC32: expect.any(String) })
})

it('a stream arrives aws-chunked with a trailing checksum and is stored without the chunks', async () => {
  const parts = Array.from({ length: 40 }, (_, n) => Buffer.alloc(8_000, n))
  const whole = Buffer.concat(parts)

  await client.send(
    new PutObjectCommand({ Bucket, Key: 'stream', Body: Readable.from(parts), ContentLength: whole.length }),
  )

  const read = await client.send(new GetObjectCommand({ Bucket, Key: 'stream' }))
  expect(Buffer.from((await read.Body?.transformToByteArray()) ?? []).equals(whole)).toBe(true)
  expect(read.ContentEncoding).toBeUndefined()
  expect(read.ChecksumCRC32).toEqual(expect.any(String))
})

it('a body that does not match its checksum is refused and leaves nothing', async () => {
  const broken = client.send(new PutObjectCommand({ Bucket, Key: 'broken', Body: 'x', ChecksumCRC32: 'AAAAAA==' }))

  await expect(broken).rejects.toMatchObject({ name: 'BadDigest' })
  await expect(getText('broken')).rejects.toMatchObject({ name: 'NoSuchKey' })
  expect(readdirSync(join(dir, 'incoming'))).toEqual([])
})

it('a body that breaks off is not an object', async () => {
  const request = httpRequest(`${server.url}/${Bucket}/half`, { method: 'PUT', headers: { 'content-length': 100 } })
  const broken = new Promise((resolve) => request.once('error', resolve))
  await new Promise<void>((resolve) => request.write('half of it', () => resolve()))

  request.destroy(new Error('gone'))
  await broken

  await expect.poll(() => readdirSync(join(dir, 'incoming'))).toEqual([])
  await expect(getText('half')).rejects.toMatchObject({ name: 'NoSuchKey' })
})

it('keys that look alike when decoded badly are different objects', async () => {
  const keys = [
    'a b',
    'a+b',
    'a%20b',
    'a%2Bb',
    '账单/\u00e9',
    '账单/e\u0301',
    'x/../y',
    'y',
    'x//y',
    './y',
    'q?z#&=',
    `quote'"<>&`,
  ]

  for (const key of keys) await put(`alike/${key}`)

  const read = await Promise.all(keys.map((key) => getText(`alike/${key}`)))
  const listed = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'alike/' }))
  expect(read).toEqual(keys.map((key) => `alike/${key}`))
  expect(listed.Contents?.map((object) => object.Key)).toEqual(
    keys.map((key) => `alike/${key}`).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  )
})

it('of sixteen writers with If-None-Match one wins and the others learn why', async () => {
  const write = (n: number) =>
    client.send(new PutObjectCommand({ Bucket, Key: 'once', Body: String(n), IfNoneMatch: '*' }))

  const results = await Promise.allSettled(Array.from({ length: 16 }, (_, n) => write(n)))

  const winners = results.flatMap((result, n) => (result.status === 'fulfilled' ? [String(n)] : []))
  const losers = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  expect(winners).toHaveLength(1)
  expect(losers.map((error) => [error.name, error.$metadata.httpStatusCode])).toEqual(
    Array.from({ length: 15 }, () => ['PreconditionFailed', 412]),
  )
  expect(await getText('once')).toBe(winners[0])
})

it('If-Match replaces only the version it names', async () => {
  const { ETag } = await put('match', 'one')
  const write = (Body: string) => client.send(new PutObjectCommand({ Bucket, Key: 'match', Body, IfMatch: ETag }))

  await write('two')
  const late = write('three')

  await expect(late).rejects.toMatchObject({ name: 'PreconditionFailed' })
  expect(await getText('match')).toBe('two')
  const missing = new PutObjectCommand({ Bucket, Key: 'match-nothing', Body: 'x', IfMatch: '"0"' })
  await expect(client.send(missing)).rejects.toMatchObject({ name: 'NoSuchKey' })
})

it('a read can be conditional', async () => {
  const { ETag } = await put('cond', 'x')
  const head = (input: object) => client.send(new HeadObjectCommand({ Bucket, Key: 'cond', ...input }))

  await expect(head({ IfMatch: '"0"' })).rejects.toMatchObject({ $metadata: { httpStatusCode: 412 } })
  await expect(head({ IfNoneMatch: ETag })).rejects.toMatchObject({ $metadata: { httpStatusCode: 304 } })
  await expect(head({ IfMatch: ETag })).resolves.toMatchObject({ ETag })
})

it.each([
  ['bytes=2-4', '234', 'bytes 2-4/10'],
  ['bytes=7-', '789', 'bytes 7-9/10'],
  ['bytes=-2', '89', 'bytes 8-9/10'],
  ['bytes=8-99', '89', 'bytes 8-9/10'],
  ['bytes=5-2', '0123456789', undefined],
])('range %s is %s', async (Range, text, contentRange) => {
  await put('range', '0123456789')

  const read = await client.send(new GetObjectCommand({ Bucket, Key: 'range', Range }))

  expect(await read.Body?.transformToString()).toBe(text)
  expect(read.ContentRange).toBe(contentRange)
})

it('a range behind the end is refused', async () => {
  await put('range', '0123456789')

  const read = client.send(new GetObjectCommand({ Bucket, Key: 'range', Range: 'bytes=10-' }))

  await expect(read).rejects.toMatchObject({ name: 'InvalidRange', $metadata: { httpStatusCode: 416 } })
})

it('every version can be read after it was replaced or deleted', async () => {
  const one = await put('versions', 'one')
  await put('versions', 'two')
  const marker = await client.send(new DeleteObjectCommand({ Bucket, Key: 'versions' }))

  const old = await client.send(new GetObjectCommand({ Bucket, Key: 'versions', VersionId: one.VersionId }))
  await expect(getText('versions')).rejects.toMatchObject({ name: 'NoSuchKey' })
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'versions', VersionId: marker.VersionId }))

  expect(marker.DeleteMarker).toBe(true)
  expect(await old.Body?.transformToString()).toBe('one')
  expect(await getText('versions')).toBe('two')
})

it('a listing folds at the delimiter, pages, and leaves deleted keys out', async () => {
  for (const key of ['l/2026-11-01/a', 'l/2026-11-01/b', 'l/2026-11-02/a', 'l/readme', 'l/z', 'm']) await put(key)
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'l/z' }))
  const input = { Bucket, Prefix: 'l/', Delimiter: '/' }

  const pages: ListObjectsV2CommandOutput[] = []
  for await (const page of paginateListObjectsV2({ client, pageSize: 1 }, { ...input })) pages.push(page)
  const whole = await client.send(new ListObjectsV2Command(input))

  const names = (page: ListObjectsV2CommandOutput) => [
    ...(page.CommonPrefixes ?? []).map((common) => common.Prefix),
    ...(page.Contents ?? []).map((object) => object.Key),
  ]
  expect(pages.map(names)).toEqual([['l/2026-11-01/'], ['l/2026-11-02/'], ['l/readme']])
  expect(names(whole)).toEqual(['l/2026-11-01/', 'l/2026-11-02/', 'l/readme'])
  expect(whole).toMatchObject({ KeyCount: 3, IsTruncated: false })
  const after = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'l/', StartAfter: 'l/2026-11-01/b' }))
  expect(after.Contents?.map((object) => object.Key)).toEqual(['l/2026-11-02/a', 'l/readme'])
})

it('a missing bucket is told apart from a missing key', async () => {
  const missing = client.send(new GetObjectCommand({ Bucket: 'nowhere', Key: 'x' }))

  await expect(missing).rejects.toMatchObject({ name: 'NoSuchBucket' })
  await expect(client.send(new HeadBucketCommand({ Bucket: 'nowhere' }))).rejects.toMatchObject({ name: 'NotFound' })
  await expect(client.send(new HeadBucketCommand({ Bucket }))).resolves.toBeDefined()
})

it('an operation that is not there is refused, not mistaken for another', async () => {
  await put('tagged')

  const tagging = client.send(new GetObjectTaggingCommand({ Bucket, Key: 'tagged' }))

  await expect(tagging).rejects.toMatchObject({ name: 'NotImplemented' })
})

it('objects outlive a restart, and the host can catch up on what was written', async () => {
  await put('kept', 'still here')
  const heard: string[] = []
  await close()
  await open()
  s3.onWritten((version) => heard.push(version.key))

  const before = s3.writtenAfter(0, 1_000).at(-1)
  await put('kept-2')

  expect(await getText('kept')).toBe('still here')
  expect(before?.key).toBe('kept')
  expect(heard).toEqual(['kept-2'])
  expect(s3.writtenAfter(before?.seq ?? 0, 10).map((version) => version.key)).toEqual(['kept-2'])
})

it('an empty object is an object', async () => {
  await put('empty', new Uint8Array())

  expect(await getText('empty')).toBe('')
})
