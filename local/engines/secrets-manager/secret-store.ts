import { chmodSync } from 'node:fs'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'

export interface StoredSecret {
  name: string
  description: string | undefined
  createdMs: number
  changedMs: number
}

/** One value of a secret; exactly one of text and bytes (base64) is there. */
export interface SecretVersion {
  versionId: string
  text: string | undefined
  bytes: string | undefined
  stages: string[]
  createdMs: number
}

/** Secrets and their versions; every change is on disk when the call returns. */
export interface SecretStore {
  find(name: string): StoredSecret | undefined
  /** In order of name, after the given one. */
  list(afterName: string, limit: number): StoredSecret[]
  versions(name: string): SecretVersion[]
  /** Adds or replaces a secret and versions of it in one write. */
  save(secret: StoredSecret, versions: SecretVersion[]): void
  close(): void
}

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS secret (
    name TEXT PRIMARY KEY, description TEXT, created_ms INTEGER NOT NULL, changed_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS version (
    name TEXT NOT NULL, version_id TEXT NOT NULL, text TEXT, bytes TEXT, stages TEXT NOT NULL, created_ms INTEGER NOT NULL,
    PRIMARY KEY (name, version_id)
  ) STRICT, WITHOUT ROWID;`

/** Opens the store in a SQLite file that only its owner can read. */
export function openSecretStore(path: string): SecretStore {
  const db = new DatabaseSync(path)
  // Before the first write: the WAL file takes its permissions from this one.
  chmodSync(path, 0o600)
  db.exec(schema)
  const byName = db.prepare('SELECT * FROM secret WHERE name = ?')
  const after = db.prepare('SELECT * FROM secret WHERE name > ? ORDER BY name LIMIT ?')
  const upsertSecret = db.prepare('INSERT OR REPLACE INTO secret VALUES (?, ?, ?, ?)')
  const versionsOf = db.prepare('SELECT * FROM version WHERE name = ? ORDER BY created_ms, version_id')
  const upsertVersion = db.prepare('INSERT OR REPLACE INTO version VALUES (?, ?, ?, ?, ?, ?)')
  return {
    find(name) {
      const row = byName.get(name)
      return row && toSecret(row)
    },
    list: (afterName, limit) => after.all(afterName, limit).map(toSecret),
    versions: (name) => versionsOf.all(name).map(toVersion),
    save({ name, description, createdMs, changedMs }, versions) {
      db.exec('BEGIN IMMEDIATE')
      try {
        upsertSecret.run(name, description ?? null, createdMs, changedMs)
        for (const { versionId, text, bytes, stages, createdMs } of versions) {
          upsertVersion.run(name, versionId, text ?? null, bytes ?? null, JSON.stringify(stages), createdMs)
        }
        db.exec('COMMIT')
      } catch (error) {
        db.exec('ROLLBACK')
        throw error
      }
    },
    close: () => db.close(),
  }
}

function toSecret(row: Record<string, SQLOutputValue>): StoredSecret {
  return {
    name: String(row['name']),
    description: textOf(row['description']),
    createdMs: Number(row['created_ms']),
    changedMs: Number(row['changed_ms']),
  }
}

function toVersion(row: Record<string, SQLOutputValue>): SecretVersion {
  return {
    versionId: String(row['version_id']),
    text: textOf(row['text']),
    bytes: textOf(row['bytes']),
    stages: JSON.parse(String(row['stages'])),
    createdMs: Number(row['created_ms']),
  }
}

function textOf(value: SQLOutputValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
