import { gunzipSync, gzipSync } from 'node:zlib'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { ChannelId } from '../core/ids.ts'
import type { Instant } from '../core/instant.ts'

/** What a row may hold of a callback's text, compressed; more goes to the bucket. Source: docs/design/keys-and-rows.md, Ledger */
export const MAX_ROW_BYTES = 8 * 1024
/** A stored callback unpacks to at most this; ingress takes no more either. */
const MAX_UNPACKED_BYTES = 1024 * 1024

/** The bucket for callback texts that do not fit a row. */
export interface RawStore {
  readonly client: S3Client
  readonly bucket: string
}

/** Opens the bucket for the life of a Lambda environment. */
export function openRawStore(bucket: string): RawStore {
  const client = new S3Client({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 500, requestTimeout: 3000, throwOnRequestTimeout: true },
  })
  return { client, bucket }
}

/**
 * Packs a callback's text for its row, or stores it under a key made of its own digest: the same bytes give the same object,
 * so that repeating is harmless.
 */
export async function packRaw(
  store: RawStore,
  callback: {
    readonly channel: ChannelId
    readonly receivedAt: Instant
    readonly body: Buffer
    readonly sha256: string
  },
): Promise<{ readonly gzip: Uint8Array } | { readonly s3Key: string }> {
  const gzip = gzipSync(callback.body)
  if (gzip.byteLength <= MAX_ROW_BYTES) return { gzip }
  const s3Key = `callbacks/${callback.channel}/${callback.receivedAt.slice(0, 10)}/${callback.sha256}.gz`
  await putRaw(store, s3Key, gzip)
  return { s3Key }
}

/** Stores bytes under a key. @throws the SDK's error when S3 does not answer */
export async function putRaw(store: RawStore, s3Key: string, bytes: Uint8Array): Promise<void> {
  await store.client.send(new PutObjectCommand({ Bucket: store.bucket, Key: s3Key, Body: bytes }))
}

/** The text of a kept callback. @throws RawMissingError when neither the row nor the bucket has it */
export async function unpackRaw(
  store: RawStore,
  row: { readonly raw?: Uint8Array | undefined; readonly rawKey?: string | undefined },
): Promise<Buffer> {
  if (row.raw !== undefined) return unzip(row.raw)
  if (row.rawKey === undefined) throw new RawMissingError()
  const object = await store.client.send(new GetObjectCommand({ Bucket: store.bucket, Key: row.rawKey }))
  const bytes = await object.Body?.transformToByteArray()
  if (bytes === undefined) throw new RawMissingError()
  return unzip(bytes)
}

const unzip = (bytes: Uint8Array): Buffer => gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES })

/** A callback row without its text: a bug, or a hand in the table. */
export class RawMissingError extends Error {
  override readonly name = 'RawMissingError'
  readonly code = 'RAW_MISSING'

  constructor() {
    super(
      'A kept callback has no text, in its row or the bucket. Look at the row; ask the channel to send the notice again.',
    )
  }
}
