import { DatabaseSync } from 'node:sqlite'
import type { Notice, Payment } from './payment.ts'

/** Something that is to happen at a later time, in the form of its owner. */
export interface Plan {
  readonly id: number
  readonly dueAt: number
  readonly input: string
}

/** A channel's memory. What a call wrote survives a kill of the process once it has returned. */
export interface PaymentStore {
  /** Runs `work` in one transaction: all of it or nothing. */
  atomically<T>(work: () => T): T
  addPayment(payment: Omit<Payment, 'id'>): Payment
  savePayment(payment: Payment): void
  paymentOf(id: number): Payment | undefined
  /** The newest first. */
  paymentsOf(outTradeNo: string): Payment[]
  paymentByTxnId(channelTxnId: string): Payment | undefined
  allPayments(): Payment[]
  addNotice(notice: Omit<Notice, 'id'>): Notice
  saveNotice(notice: Notice): void
  noticesOf(paymentId: number): Notice[]
  pendingNotices(): Notice[]
  addPlan(dueAt: number, input: string): void
  removePlan(id: number): void
  plans(): Plan[]
  /** 1, 2, 3, … over all restarts: what ids are made of. */
  nextNumber(): number
  readSetting(name: string): string | undefined
  writeSetting(name: string, value: string): void
  close(): void
}

/** Opens one channel's SQLite file. */
export function openPaymentStore(path: string): PaymentStore {
  const db = new DatabaseSync(path)
  db.exec(`PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS payment (
      id INTEGER PRIMARY KEY, out_trade_no TEXT NOT NULL, txn_id TEXT UNIQUE, doc TEXT NOT NULL) STRICT;
    CREATE INDEX IF NOT EXISTS payment_by_number ON payment (out_trade_no);
    CREATE TABLE IF NOT EXISTS notice (
      id INTEGER PRIMARY KEY, payment_id INTEGER NOT NULL, status TEXT NOT NULL, doc TEXT NOT NULL) STRICT;
    CREATE INDEX IF NOT EXISTS notice_by_payment ON notice (payment_id);
    CREATE TABLE IF NOT EXISTS plan (id INTEGER PRIMARY KEY, due_at REAL NOT NULL, input TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID`)
  const insertPayment = db.prepare('INSERT INTO payment (out_trade_no, txn_id, doc) VALUES (?, ?, ?)')
  const updatePayment = db.prepare('UPDATE payment SET txn_id = ?, doc = ? WHERE id = ?')
  const insertNotice = db.prepare('INSERT INTO notice (payment_id, status, doc) VALUES (?, ?, ?)')
  const updateNotice = db.prepare('UPDATE notice SET status = ?, doc = ? WHERE id = ?')
  const selectPayment = db.prepare('SELECT id, doc FROM payment WHERE id = ?')
  const selectByNumber = db.prepare('SELECT id, doc FROM payment WHERE out_trade_no = ? ORDER BY id DESC')
  const selectByTxnId = db.prepare('SELECT id, doc FROM payment WHERE txn_id = ?')
  const selectPayments = db.prepare('SELECT id, doc FROM payment ORDER BY id')
  const selectNotices = db.prepare('SELECT id, doc FROM notice WHERE payment_id = ? ORDER BY id')
  const selectPending = db.prepare(`SELECT id, doc FROM notice WHERE status = 'pending' ORDER BY id`)
  const insertPlan = db.prepare('INSERT INTO plan (due_at, input) VALUES (?, ?)')
  const deletePlan = db.prepare('DELETE FROM plan WHERE id = ?')
  const selectPlans = db.prepare('SELECT * FROM plan ORDER BY due_at, id')
  const selectSetting = db.prepare('SELECT value FROM setting WHERE name = ?')
  const upsertSetting = db.prepare('INSERT OR REPLACE INTO setting VALUES (?, ?)')
  const readSetting = (name: string): string | undefined => {
    const value = selectSetting.get(name)?.['value']
    return typeof value === 'string' ? value : undefined
  }

  return {
    atomically: (work) => {
      db.exec('BEGIN IMMEDIATE')
      try {
        const result = work()
        db.exec('COMMIT')
        return result
      } catch (error) {
        db.exec('ROLLBACK')
        throw error
      }
    },
    addPayment: (payment) => {
      const { lastInsertRowid } = insertPayment.run(
        payment.outTradeNo,
        payment.channelTxnId ?? null,
        JSON.stringify(payment),
      )
      return { ...payment, id: Number(lastInsertRowid) }
    },
    savePayment: (payment) => {
      updatePayment.run(payment.channelTxnId ?? null, JSON.stringify(payment), payment.id)
    },
    paymentOf: (id) => toPayments(selectPayment.all(id))[0],
    paymentsOf: (outTradeNo) => toPayments(selectByNumber.all(outTradeNo)),
    paymentByTxnId: (channelTxnId) => toPayments(selectByTxnId.all(channelTxnId))[0],
    allPayments: () => toPayments(selectPayments.all()),
    addNotice: (notice) => {
      const { lastInsertRowid } = insertNotice.run(notice.paymentId, notice.status, JSON.stringify(notice))
      return { ...notice, id: Number(lastInsertRowid) }
    },
    saveNotice: (notice) => {
      updateNotice.run(notice.status, JSON.stringify(notice), notice.id)
    },
    noticesOf: (paymentId) => toNotices(selectNotices.all(paymentId)),
    pendingNotices: () => toNotices(selectPending.all()),
    addPlan: (dueAt, input) => {
      insertPlan.run(dueAt, input)
    },
    removePlan: (id) => {
      deletePlan.run(id)
    },
    plans: () =>
      selectPlans.all().map((row) => ({
        id: Number(row['id']),
        dueAt: Number(row['due_at']),
        input: String(row['input']),
      })),
    nextNumber: () => {
      const number = Number(readSetting('number') ?? '0') + 1
      upsertSetting.run('number', String(number))
      return number
    },
    readSetting,
    writeSetting: (name, value) => {
      upsertSetting.run(name, value)
    },
    close: () => db.close(),
  }
}

type Row = Readonly<Record<string, unknown>>

// Written by `JSON.stringify` above and by nobody else.
function toPayments(rows: Row[]): Payment[] {
  return rows.map((row) => ({ ...(JSON.parse(String(row['doc'])) as Payment), id: Number(row['id']) }))
}

function toNotices(rows: Row[]): Notice[] {
  return rows.map((row) => ({ ...(JSON.parse(String(row['doc'])) as Notice), id: Number(row['id']) }))
}
