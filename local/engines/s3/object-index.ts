import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite'

/** One version of an object, or the marker that its key was deleted. */
export interface StoredVersion {
  /** Rises with every version written to any bucket. */
  seq: number
  bucket: string
  key: string
  versionId: string
  deleteMarker: boolean
  size: number
  /** MD5 in hex, without quotes. */
  etag: string
  /** Path of the content below the objects folder. */
  file: string
  lastModifiedMs: number
  /** Response headers that the writer gave: content type, x-amz-meta-…, x-amz-checksum-…. */
  headers: Record<string, string>
}

/** Which objects there are; every change is on disk when the call returns. */
export interface ObjectIndex {
  createBucket(bucket: string): void
  hasBucket(bucket: string): boolean
  current(bucket: string, key: string): StoredVersion | undefined
  version(bucket: string, key: string, versionId: string): StoredVersion | undefined
  /** Makes a version the current one, unless `check` throws on what is current at that moment. */
  add(version: Omit<StoredVersion, 'seq'>, check?: (current: StoredVersion | undefined) => void): StoredVersion
  /** Forgets one version; the one before it becomes current again. */
  remove(version: StoredVersion): void
  /** The first current object with `from` ≤ key < `end`, in UTF-8 byte order. */
  firstBetween(bucket: string, from: Uint8Array, end: Uint8Array): StoredVersion | undefined
  writtenAfter(seq: number, limit: number): StoredVersion[]
  close(): void
}

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS bucket (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS version (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, bucket TEXT NOT NULL, key BLOB NOT NULL, version_id TEXT NOT NULL,
    delete_marker INTEGER NOT NULL, size INTEGER NOT NULL, etag TEXT NOT NULL, file TEXT NOT NULL,
    last_modified_ms INTEGER NOT NULL, headers TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS version_by_key ON version (bucket, key, seq);`

/** Opens the index in a SQLite file. */
export function openObjectIndex(path: string): ObjectIndex {
  const db = new DatabaseSync(path)
  db.exec(schema)
  const insert = db.prepare(`INSERT INTO version
    (bucket, key, version_id, delete_marker, size, etag, file, last_modified_ms, headers) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const latest = db.prepare('SELECT * FROM version WHERE bucket = ? AND key = ? ORDER BY seq DESC LIMIT 1')
  const byId = db.prepare('SELECT * FROM version WHERE bucket = ? AND key = ? AND version_id = ?')
  const between = db.prepare(`SELECT * FROM version v WHERE bucket = ? AND key >= ? AND key < ? AND delete_marker = 0
    AND seq = (SELECT MAX(seq) FROM version WHERE bucket = v.bucket AND key = v.key) ORDER BY key LIMIT 1`)
  const after = db.prepare('SELECT * FROM version WHERE seq > ? AND delete_marker = 0 ORDER BY seq LIMIT ?')
  const bucketByName = db.prepare('SELECT 1 FROM bucket WHERE name = ?')
  const current = (bucket: string, key: string) => toVersion(latest.get(bucket, Buffer.from(key)))
  return {
    createBucket: (bucket) => void db.prepare('INSERT OR IGNORE INTO bucket VALUES (?)').run(bucket),
    hasBucket: (bucket) => bucketByName.get(bucket) !== undefined,
    current,
    version: (bucket, key, versionId) => toVersion(byId.get(bucket, Buffer.from(key), versionId)),
    add(version, check) {
      // No await between check and insert, and one process owns the file: together they are atomic.
      check?.(current(version.bucket, version.key))
      const { lastInsertRowid } = insert.run(...toRow(version))
      return { ...version, seq: Number(lastInsertRowid) }
    },
    remove: (version) => void db.prepare('DELETE FROM version WHERE seq = ?').run(version.seq),
    firstBetween: (bucket, from, end) => toVersion(between.get(bucket, from, end)),
    writtenAfter: (seq, limit) => after.all(seq, limit).flatMap((row) => toVersion(row) ?? []),
    close: () => db.close(),
  }
}

function toRow(version: Omit<StoredVersion, 'seq'>): SQLInputValue[] {
  const { bucket, key, versionId, deleteMarker, size, etag, file, lastModifiedMs, headers } = version
  const json = JSON.stringify(headers)
  return [bucket, Buffer.from(key), versionId, deleteMarker ? 1 : 0, size, etag, file, lastModifiedMs, json]
}

function toVersion(row: Record<string, SQLOutputValue> | undefined): StoredVersion | undefined {
  if (row === undefined) return undefined
  const key = row['key']
  if (!(key instanceof Uint8Array)) throw new Error('A key in the S3 index is not bytes: the file is damaged.')
  return {
    seq: Number(row['seq']),
    bucket: String(row['bucket']),
    key: Buffer.from(key).toString(),
    versionId: String(row['version_id']),
    deleteMarker: row['delete_marker'] === 1,
    size: Number(row['size']),
    etag: String(row['etag']),
    file: String(row['file']),
    lastModifiedMs: Number(row['last_modified_ms']),
    headers: JSON.parse(String(row['headers'])),
  }
}
