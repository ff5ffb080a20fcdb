import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { ttlAttributeOf } from '../../engines/dynamodb/ensure-table.ts'
import { sweepExpired } from '../../engines/dynamodb/sweep-expired.ts'
import { tablePropertiesSchema } from '../../engines/dynamodb/table-properties.ts'
import type { Clock } from '../clock/clock.ts'
import type { TableSpec } from '../template/read-tables.ts'

/** DynamoDB deletes expired items within days, not at once; once a day of the clock is as prompt as anyone may expect. */
const INTERVAL_MS = 86_400_000

/** Deletes expired items now and then. */
export interface ItemExpiry {
  isBusy(): boolean
  close(): Promise<void>
}

/** Sweeps the tables that have a time to live, at the start and then once a day of the clock. */
export function startItemExpiry(client: DynamoDBClient, tables: TableSpec[], clock: Clock): ItemExpiry {
  const expiring = tables.flatMap((table) => {
    const attribute = ttlAttributeOf(tablePropertiesSchema.parse(table.properties))
    return attribute === undefined ? [] : [{ name: table.name, attribute }]
  })
  let sweptAt = 0
  let running: Promise<void> | undefined
  let closed = false

  const sweep = async () => {
    for (const { name, attribute } of expiring) {
      if (!closed) await sweepExpired(client, name, attribute, clock)
    }
  }
  const sweepWhenDue = () => {
    if (closed || running !== undefined || expiring.length === 0 || clock.now() - sweptAt < INTERVAL_MS) return
    sweptAt = clock.now()
    running = sweep().finally(() => {
      running = undefined
    })
  }

  clock.onLeap(sweepWhenDue)
  const timer = setInterval(sweepWhenDue, 60_000).unref()
  sweepWhenDue()
  return {
    isBusy: () => running !== undefined,
    close: async () => {
      closed = true
      clearInterval(timer)
      await running
      client.destroy()
    },
  }
}
