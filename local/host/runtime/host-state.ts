import { DatabaseSync } from 'node:sqlite'

/** An event that a service handed over for a function, not handled yet. */
export interface AsyncEvent {
  id: number
  functionName: string
  payload: string
  attempts: number
  /** ms since the epoch */
  createdAt: number
}

/** What the host itself must remember over a stop or a kill: numbers by name, and accepted events. */
export interface HostState {
  readNumber(name: string): number | undefined
  writeNumber(name: string, value: number): void
  addEvent(event: Omit<AsyncEvent, 'id' | 'attempts'>): AsyncEvent
  countAttempt(id: number): void
  removeEvent(id: number): void
  events(): AsyncEvent[]
  close(): void
}

/** Opens the host's SQLite file; every write is on disk, and so survives a kill, when the call returns. */
export function openHostState(path: string): HostState {
  const db = new DatabaseSync(path)
  db.exec(`PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS number (name TEXT PRIMARY KEY, value REAL NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS event (
      id INTEGER PRIMARY KEY, function_name TEXT NOT NULL, payload TEXT NOT NULL,
      attempts INTEGER NOT NULL, created_at REAL NOT NULL
    ) STRICT`)
  const selectNumber = db.prepare('SELECT value FROM number WHERE name = ?')
  const upsertNumber = db.prepare('INSERT OR REPLACE INTO number VALUES (?, ?)')
  const insertEvent = db.prepare('INSERT INTO event (function_name, payload, attempts, created_at) VALUES (?, ?, 0, ?)')
  const updateEvent = db.prepare('UPDATE event SET attempts = attempts + 1 WHERE id = ?')
  const deleteEvent = db.prepare('DELETE FROM event WHERE id = ?')
  const selectEvents = db.prepare('SELECT * FROM event ORDER BY id')

  return {
    readNumber: (name) => {
      const value = selectNumber.get(name)?.['value']
      return typeof value === 'number' ? value : undefined
    },
    writeNumber: (name, value) => {
      upsertNumber.run(name, value)
    },
    addEvent: (event) => {
      const { lastInsertRowid } = insertEvent.run(event.functionName, event.payload, event.createdAt)
      return { ...event, id: Number(lastInsertRowid), attempts: 0 }
    },
    countAttempt: (id) => {
      updateEvent.run(id)
    },
    removeEvent: (id) => {
      deleteEvent.run(id)
    },
    events: () =>
      selectEvents.all().map((row) => ({
        id: Number(row['id']),
        functionName: String(row['function_name']),
        payload: String(row['payload']),
        attempts: Number(row['attempts']),
        createdAt: Number(row['created_at']),
      })),
    close: () => db.close(),
  }
}
