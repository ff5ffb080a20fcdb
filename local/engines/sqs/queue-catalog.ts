import { invalidParameter, queueDoesNotExist } from './errors.ts'
import type { Queue } from './queue.ts'
import { parseAttributes } from './queue-attributes.ts'
import { queueNameOf } from './queue-names.ts'
import type { Store } from './store.ts'

/** Which queues exist, and how they are set up. */
export class QueueCatalog {
  readonly #store: Store
  readonly #now: () => number
  readonly #queues = new Map<string, Queue>()

  constructor(store: Store, now: () => number) {
    this.#store = store
    this.#now = now
    for (const queue of store.loadQueues()) this.#queues.set(queue.name, queue)
  }

  all(): Queue[] {
    return [...this.#queues.values()]
  }

  /** @param nameOrAddress a queue's name, URL or ARN */
  find(nameOrAddress: string): Queue | undefined {
    return this.#queues.get(queueNameOf(nameOrAddress))
  }

  /** @throws SqsError QueueDoesNotExist */
  get(nameOrAddress: string): Queue {
    const queue = this.find(nameOrAddress)
    if (queue === undefined) throw queueDoesNotExist()
    return queue
  }

  /** @throws SqsError for a name or an attribute that breaks a rule */
  create(name: string, attributes: Readonly<Record<string, unknown>>): Queue {
    if (!/^[A-Za-z0-9_-]{1,80}$/.test(name)) {
      throw invalidParameter('QueueName', name, '1 to 80 letters, digits, hyphens and underscores; no FIFO here.')
    }
    const queue = this.#store.createQueue(name, parseAttributes(attributes), this.#now())
    this.#queues.set(name, queue)
    return queue
  }

  /** Gives a queue these attributes; what is not named falls back to its default. */
  setAttributes(queue: Queue, attributes: Readonly<Record<string, unknown>>): void {
    queue.configure(parseAttributes(attributes))
    queue.modifiedAt = this.#now()
    this.#store.saveAttributes(queue)
  }

  /** Deletes a queue with its messages; whoever waits at it gets nothing. */
  delete(queue: Queue): void {
    this.#queues.delete(queue.name)
    for (const message of queue.messages()) queue.remove(message)
    this.#store.dropQueue(queue)
    for (const waiter of queue.waiters) waiter.finish([])
  }

  purge(queue: Queue): void {
    for (const message of queue.messages()) queue.remove(message)
    this.#store.purgeQueue(queue)
    queue.purgedAt = this.#now()
  }
}
