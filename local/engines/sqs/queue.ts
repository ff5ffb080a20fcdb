import { DueHeap } from './due-heap.ts'
import type { Message, MessageState, ReceivedMessage } from './message.ts'
import { type QueueAttributes, type RedrivePolicy, readNumber, readRedrivePolicy } from './queue-attributes.ts'
import { queueArn } from './queue-names.ts'
import { ReadyLanes } from './ready-lanes.ts'

/** A caller that waits for messages. */
export interface Waiter {
  readonly max: number
  readonly visibilityTimeoutS: number | undefined
  finish(messages: readonly ReceivedMessage[]): void
}

/** How many messages a queue holds, by state. */
export interface QueueCounts {
  readonly visible: number
  readonly inFlight: number
  readonly delayed: number
}

/** One queue in memory: what is visible, what is out, and who waits. Knows nothing of the disk. */
export class Queue {
  readonly id: number
  readonly name: string
  readonly arn: string
  readonly createdAt: number
  readonly waiters = new Set<Waiter>()
  modifiedAt: number
  purgedAt: number | undefined
  attributes: QueueAttributes = {}
  redrive: RedrivePolicy | undefined
  readonly #messages = new Map<number, Message>()
  readonly #ready = new ReadyLanes()
  readonly #byAge = new DueHeap<Message>((message) => message.state !== 'gone')
  readonly #sizes: Record<MessageState, number> = { ready: 0, delayed: 0, inFlight: 0, gone: 0 }

  constructor(id: number, name: string, attributes: QueueAttributes, createdAt: number) {
    this.id = id
    this.name = name
    this.arn = queueArn(name)
    this.createdAt = createdAt
    this.modifiedAt = createdAt
    this.configure(attributes)
  }

  configure(attributes: QueueAttributes): void {
    this.attributes = attributes
    this.redrive = readRedrivePolicy(attributes)
  }

  number(name: string): number {
    return readNumber(this.attributes, name)
  }

  counts(): QueueCounts {
    return { visible: this.#sizes.ready, inFlight: this.#sizes.inFlight, delayed: this.#sizes.delayed }
  }

  messages(): IterableIterator<Message> {
    return this.#messages.values()
  }

  find(seq: number): Message | undefined {
    return this.#messages.get(seq)
  }

  add(message: Message): void {
    this.#messages.set(message.seq, message)
    this.#byAge.push(message.sentAt, message)
    this.#sizes[message.state]++
    if (message.state === 'ready') this.#ready.push(message)
  }

  change(message: Message, state: 'ready' | 'inFlight'): void {
    this.#sizes[message.state]--
    this.#sizes[state]++
    message.state = state
    if (state === 'ready') this.#ready.push(message)
  }

  remove(message: Message): void {
    this.#messages.delete(message.seq)
    this.#sizes[message.state]--
    message.state = 'gone'
    // Heap and lane let go of it only when it surfaces there.
    message.body = ''
  }

  /** The next visible message; it counts as visible until `change` or `remove` says otherwise. */
  shiftReady(): Message | undefined {
    return this.#ready.shift()
  }

  /** Removes and returns one message that was sent too long ago. */
  shiftExpired(now: number): Message | undefined {
    const expired = this.#byAge.popDue(now - this.number('MessageRetentionPeriod') * 1000)
    if (expired !== undefined) this.remove(expired)
    return expired
  }
}
