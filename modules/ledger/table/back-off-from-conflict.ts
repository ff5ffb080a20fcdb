import { setTimeout as sleep } from 'node:timers/promises'

/** Tries of one write while others touch the same rows. */
export const MAX_TRIES = 5
const BASE_MS = 25
/** Recovery of a stuck transaction starts 5 s after its first try at the earliest. */
const IN_PROGRESS_WAIT_MS = 1500

/**
 * Waits with full jitter after a write met another transaction on its row, which DynamoDB refuses and the SDK does not repeat: nothing
 * was written, and the other is over in milliseconds. After the last try there is nothing to wait for.
 * @param attempt 1 after the first try
 */
export async function backOffFromConflict(attempt: number): Promise<void> {
  if (attempt < MAX_TRIES) await sleep(Math.random() * BASE_MS * 2 ** attempt)
}

/** Waits for a transaction of the same token that is still under way. */
export async function waitForRecovery(): Promise<void> {
  await sleep(IN_PROGRESS_WAIT_MS)
}
