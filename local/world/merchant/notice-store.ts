import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** One notice as the merchant took it: once, however often it was told. */
export interface TakenNotice {
  readonly id: string
  readonly type: string
  /** Absent for money whose order is not known. */
  readonly orderNo?: string
  readonly sequence?: number
  readonly body: string
  readonly timesSeen: number
}

export interface NoticeStore {
  /** @returns false when the id stands for other bytes */
  take(notice: Omit<TakenNotice, 'timesSeen'>): boolean
  /** By order and number. */
  all(): TakenNotice[]
  close(): void
}

/** @param stateDir folder to keep notices in; without it they end with the process */
export function openNoticeStore(stateDir: string | undefined): NoticeStore {
  if (stateDir !== undefined) mkdirSync(stateDir, { recursive: true })
  const db = new DatabaseSync(stateDir === undefined ? ':memory:' : join(stateDir, 'notices.sqlite'))
  db.exec(`PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS notice (
      id TEXT PRIMARY KEY, type TEXT NOT NULL, order_no TEXT, sequence INTEGER, body TEXT NOT NULL,
      times_seen INTEGER NOT NULL) STRICT`)
  const insert = db.prepare(`INSERT INTO notice VALUES (?, ?, ?, ?, ?, 1)
    ON CONFLICT (id) DO UPDATE SET times_seen = times_seen + 1 WHERE body = excluded.body`)
  const selectAll = db.prepare('SELECT * FROM notice ORDER BY order_no, sequence, id')
  return {
    take: ({ id, type, orderNo, sequence, body }) =>
      insert.run(id, type, orderNo ?? null, sequence ?? null, body).changes === 1,
    all: () => selectAll.all().map(toNotice),
    close: () => db.close(),
  }
}

function toNotice(row: Readonly<Record<string, unknown>>): TakenNotice {
  return {
    id: String(row['id']),
    type: String(row['type']),
    ...(row['order_no'] !== null && { orderNo: String(row['order_no']) }),
    ...(row['sequence'] !== null && { sequence: Number(row['sequence']) }),
    body: String(row['body']),
    timesSeen: Number(row['times_seen']),
  }
}
