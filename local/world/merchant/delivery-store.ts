import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** One delivery as the merchant did it: once, however often it was told. */
export interface Delivery {
  readonly deliveryNo: string
  readonly orderNo: string
  readonly line: number
  readonly sku: string
  readonly quantity: number
  /** How often this delivery arrived; all but the first changed nothing. */
  readonly timesSeen: number
  /** ms since the epoch */
  readonly firstAt: number
  readonly lastAt: number
}

export interface DeliveryStore {
  find(deliveryNo: string): Delivery | undefined
  save(delivery: Delivery): void
  /** In the order of first arrival. */
  all(): Delivery[]
  close(): void
}

/** @param stateDir folder to keep deliveries in; without it they end with the process */
export function openDeliveryStore(stateDir: string | undefined): DeliveryStore {
  if (stateDir !== undefined) mkdirSync(stateDir, { recursive: true })
  const db = new DatabaseSync(stateDir === undefined ? ':memory:' : join(stateDir, 'merchant.sqlite'))
  db.exec(`PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS delivery (
      delivery_no TEXT PRIMARY KEY, order_no TEXT NOT NULL, line INTEGER NOT NULL, sku TEXT NOT NULL,
      quantity INTEGER NOT NULL, times_seen INTEGER NOT NULL, first_at REAL NOT NULL, last_at REAL NOT NULL) STRICT`)
  const upsert = db.prepare('INSERT OR REPLACE INTO delivery VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const select = db.prepare('SELECT * FROM delivery WHERE delivery_no = ?')
  const selectAll = db.prepare('SELECT * FROM delivery ORDER BY first_at, delivery_no')
  return {
    find: (deliveryNo) => select.all(deliveryNo).map(toDelivery)[0],
    save: ({ deliveryNo, orderNo, line, sku, quantity, timesSeen, firstAt, lastAt }) => {
      upsert.run(deliveryNo, orderNo, line, sku, quantity, timesSeen, firstAt, lastAt)
    },
    all: () => selectAll.all().map(toDelivery),
    close: () => db.close(),
  }
}

function toDelivery(row: Readonly<Record<string, unknown>>): Delivery {
  return {
    deliveryNo: String(row['delivery_no']),
    orderNo: String(row['order_no']),
    line: Number(row['line']),
    sku: String(row['sku']),
    quantity: Number(row['quantity']),
    timesSeen: Number(row['times_seen']),
    firstAt: Number(row['first_at']),
    lastAt: Number(row['last_at']),
  }
}
