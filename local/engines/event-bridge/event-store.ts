import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { z } from 'zod'

const eventSchema = z.object({
  version: z.literal('0'),
  id: z.string(),
  'detail-type': z.string(),
  source: z.string(),
  account: z.string(),
  time: z.string(),
  region: z.string(),
  resources: z.array(z.string()),
  detail: z.record(z.string(), z.unknown()),
})

/** An event as a rule's target gets it. */
export type BusEvent = z.infer<typeof eventSchema>

/** An event as kept: with its place in the order of acceptance, and its bus. */
export interface KeptEvent {
  seq: number
  bus: string
  event: BusEvent
}

export interface EventStore {
  createBus(name: string): void
  hasBus(name: string): boolean
  /** Keeps events in one write and forgets the oldest above the limit. */
  add(events: Omit<KeptEvent, 'seq'>[]): KeptEvent[]
  /** The newest first. */
  newest(detailType: string | undefined, limit: number): KeptEvent[]
  close(): void
}

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS bus (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS event (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, bus TEXT NOT NULL, detail_type TEXT NOT NULL, json TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS event_by_detail_type ON event (detail_type, seq);
  INSERT OR IGNORE INTO bus VALUES ('default');`

/** Opens the store in a SQLite file. @param maxEvents how many of the newest are kept */
export function openEventStore(path: string, maxEvents: number): EventStore {
  const db = new DatabaseSync(path)
  db.exec(schema)
  const busByName = db.prepare('SELECT 1 FROM bus WHERE name = ?')
  const insertBus = db.prepare('INSERT OR IGNORE INTO bus VALUES (?)')
  const insert = db.prepare('INSERT INTO event (bus, detail_type, json) VALUES (?, ?, ?)')
  const forget = db.prepare('DELETE FROM event WHERE seq <= (SELECT MAX(seq) FROM event) - ?')
  const newest = db.prepare('SELECT * FROM event ORDER BY seq DESC LIMIT ?')
  const newestOfType = db.prepare('SELECT * FROM event WHERE detail_type = ? ORDER BY seq DESC LIMIT ?')
  return {
    createBus: (name) => void insertBus.run(name),
    hasBus: (name) => busByName.get(name) !== undefined,
    add(events) {
      db.exec('BEGIN IMMEDIATE')
      try {
        const kept = events.map(({ bus, event }) => {
          const { lastInsertRowid } = insert.run(bus, event['detail-type'], JSON.stringify(event))
          return { seq: Number(lastInsertRowid), bus, event }
        })
        forget.run(maxEvents)
        db.exec('COMMIT')
        return kept
      } catch (error) {
        db.exec('ROLLBACK')
        throw error
      }
    },
    newest: (detailType, limit) =>
      (detailType === undefined ? newest.all(limit) : newestOfType.all(detailType, limit)).map(toKeptEvent),
    close: () => db.close(),
  }
}

function toKeptEvent(row: Record<string, SQLOutputValue>): KeptEvent {
  const event = eventSchema.parse(JSON.parse(String(row['json'])))
  return { seq: Number(row['seq']), bus: String(row['bus']), event }
}
