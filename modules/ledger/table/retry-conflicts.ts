import { setTimeout as sleep } from 'node:timers/promises'
import { TransactionConflictException } from '@aws-sdk/client-dynamodb'

const MAX_TRIES = 5
const BASE_MS = 25

/**
 * Repeats a single write that met a transaction on its row, which DynamoDB refuses and the SDK does not repeat: nothing was
 * written, and the transaction is over in milliseconds. Without it the message would come again only after its visibility time.
 * @throws what `run` throws, the conflict too after five tries
 * Source: docs/design/keys-and-rows.md, Transactions
 */
export async function retryConflicts<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof TransactionConflictException) || attempt === MAX_TRIES) throw error
      await sleep(Math.random() * BASE_MS * 2 ** attempt)
    }
  }
}
