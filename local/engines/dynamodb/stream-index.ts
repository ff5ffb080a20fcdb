import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const indexName = 'backstop_stream_position'

/** Whether the engine's file exists and has the index of `addStreamIndex`. */
export function hasStreamIndex(dbPath: string): boolean {
  if (!existsSync(dbPath)) return false
  const db = new DatabaseSync(dbPath, { readOnly: true })
  try {
    return db.prepare('SELECT 1 FROM sqlite_master WHERE type = ? AND name = ?').get('index', indexName) !== undefined
  } finally {
    db.close()
  }
}

/**
 * Adds the index that the engine lacks on its stream records. Without it every write of a table with a stream looks
 * for the highest sequence number by reading all records kept, and gets slower with each.
 * Call it only while the engine is stopped, on a file that the engine has set up.
 */
export function addStreamIndex(dbPath: string): void {
  const db = new DatabaseSync(dbPath)
  try {
    db.exec(`CREATE INDEX IF NOT EXISTS ${indexName}
             ON _stream_records (table_name, CAST(sequence_number AS INTEGER))`)
  } finally {
    db.close()
  }
}
