import { DatabaseSync } from 'node:sqlite'

/** Where each consumer of each stream has got to. */
export interface StreamPositions {
  /** The last sequence number handled, or `undefined` before the first. */
  read(streamArn: string, consumer: string): string | undefined
  write(streamArn: string, consumer: string, sequenceNumber: string): void
  /** For each stream, how far its slowest consumer has got. */
  readSlowest(): { streamArn: string; sequenceNumber: number }[]
  close(): void
}

/** Opens the positions kept in a SQLite file; several readers, also of other processes, may share it. */
export function openStreamPositions(path: string): StreamPositions {
  const db = new DatabaseSync(path, { timeout: 5_000 })
  db.exec(`PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS position (
      stream_arn TEXT, consumer TEXT, sequence_number TEXT NOT NULL, PRIMARY KEY (stream_arn, consumer)
    ) STRICT, WITHOUT ROWID`)
  const select = db.prepare('SELECT sequence_number FROM position WHERE stream_arn = ? AND consumer = ?')
  const slowest = db.prepare(
    'SELECT stream_arn, MIN(CAST(sequence_number AS INTEGER)) AS slowest FROM position GROUP BY stream_arn',
  )
  const upsert = db.prepare('INSERT OR REPLACE INTO position VALUES (?, ?, ?)')
  return {
    read(streamArn, consumer) {
      const value = select.get(streamArn, consumer)?.['sequence_number']
      return typeof value === 'string' ? value : undefined
    },
    write(streamArn, consumer, sequenceNumber) {
      upsert.run(streamArn, consumer, sequenceNumber)
    },
    readSlowest: () =>
      slowest.all().map((row) => ({ streamArn: String(row['stream_arn']), sequenceNumber: Number(row['slowest']) })),
    close: () => db.close(),
  }
}
