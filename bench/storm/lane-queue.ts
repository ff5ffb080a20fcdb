import type { TaskRow } from '../../modules/ledger/table/rows.ts'
import type { TaskMessage } from '../../modules/queues/task-message.ts'
import type { VirtualTime } from './virtual-time.ts'

/** Messages of one invocation. Source: infra/backstop-queue.ts, which loads too much to be imported here; a test holds them equal. */
export const BATCH_SIZE = 10

/** Carries out one message in one worker environment. */
export type Work = (message: TaskMessage) => Promise<void>

/** A lane's queue in front of so many worker environments as its `maxConcurrency` allows, in simulated time. */
export class LaneQueue {
  readonly #time: VirtualTime
  readonly #free: Work[]
  #visible: TaskMessage[] = []
  #isPolling = false
  /** Batches handed out, and messages in them. */
  batches = 0
  messages = 0

  constructor(time: VirtualTime, environments: readonly Work[]) {
    this.#time = time
    this.#free = [...environments]
  }

  arriveAt(atMs: number, message: TaskMessage): void {
    this.#time.at(atMs, () => {
      this.#visible.push(message)
      this.#poll()
    })
  }

  /** After all that arrive at this moment: they share batches. */
  #poll(): void {
    if (this.#isPolling) return
    this.#isPolling = true
    this.#time.at(this.#time.nowMs, () => {
      this.#isPolling = false
      while (this.#visible.length > 0) {
        const work = this.#free.shift()
        if (work === undefined) return
        const batch = this.#visible.slice(0, BATCH_SIZE)
        this.#visible = this.#visible.slice(BATCH_SIZE)
        void this.#runBatch(work, batch)
      }
    })
  }

  async #runBatch(work: Work, batch: readonly TaskMessage[]): Promise<void> {
    this.batches += 1
    this.messages += batch.length
    await Promise.all(batch.map(work))
    this.#free.push(work)
    this.#poll()
  }
}

export function messageOf(task: TaskRow, cause: TaskMessage['cause']): TaskMessage {
  const { pk, taskNo, lane, nextExecuteAt, wake = nextExecuteAt } = task
  return { v: 1, pk, taskNo, wake, lane, cause }
}
