import type { Broker } from './broker.ts'
import type { ReceivedMessage } from './message.ts'

/** How to receive. */
export interface ReceiveOptions {
  readonly max: number
  /** Real time, as every transport time-out; a leap of the clock does not shorten it. */
  readonly waitMs: number
  readonly signal?: AbortSignal
  readonly visibilityTimeoutS?: number
}

/**
 * Takes what is visible, or waits for the first messages to come.
 * @returns an empty list when the wait ended, was aborted, or the queue or engine is gone
 */
export async function receiveMessages(
  broker: Broker,
  queueName: string,
  { max, waitMs, signal, visibilityTimeoutS }: ReceiveOptions,
): Promise<readonly ReceivedMessage[]> {
  const queue = broker.catalog.get(queueName)
  if (signal?.aborted) return []
  const atOnce = broker.take(queue, max, visibilityTimeoutS)
  if (atOnce.length > 0 || waitMs <= 0) return afterCommit(broker, atOnce)
  const messages = await new Promise<readonly ReceivedMessage[]>((resolve) => {
    const finish = (received: readonly ReceivedMessage[]): void => {
      queue.waiters.delete(waiter)
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
      // The commit of this very turn, while the promise is still ours to take.
      resolve(afterCommit(broker, received))
    }
    const giveUp = (): void => finish([])
    const timer = setTimeout(giveUp, waitMs)
    const waiter = { max, visibilityTimeoutS, finish }
    signal?.addEventListener('abort', giveUp)
    broker.addWaiter(queue, waiter)
  })
  return messages
}

async function afterCommit<T>(broker: Broker, answer: T): Promise<T> {
  await broker.settled()
  return answer
}
