import { DatabaseSync } from 'node:sqlite'
import { openStreamPositions } from './stream-positions.ts'

const retentionMs = 24 * 60 * 60 * 1000

/**
 * Deletes stream records that are older than a stream keeps them and that every consumer has handled; the engine
 * itself keeps all for ever. Unhandled ones stay, however old: a machine that was off for a weekend loses nothing.
 * Call it only while the engine is stopped.
 * @returns how many records were deleted
 */
export function trimStream(dbPath: string, positionsPath: string, nowMs: number): number {
  const positions = openStreamPositions(positionsPath)
  const handled = positions.readSlowest()
  positions.close()
  const db = new DatabaseSync(dbPath)
  try {
    // The newest record of a table stays: the engine counts on from its sequence number.
    const trim = db.prepare(`DELETE FROM _stream_records WHERE table_name = ?1 AND created_at < ?2
      AND CAST(sequence_number AS INTEGER) <= ?3 AND CAST(sequence_number AS INTEGER) <
        (SELECT MAX(CAST(sequence_number AS INTEGER)) FROM _stream_records newest WHERE newest.table_name = ?1)`)
    const beforeSeconds = Math.floor((nowMs - retentionMs) / 1000)
    return handled.reduce((deleted, { streamArn, sequenceNumber }) => {
      const tableName = streamArn.split('/')[1] ?? ''
      return deleted + Number(trim.run(tableName, beforeSeconds, sequenceNumber).changes)
    }, 0)
  } finally {
    db.close()
  }
}
