import { randomUUID } from 'node:crypto'
import type { Clock } from '../../host/clock/clock.ts'
import { ClockAlarm } from './clock-alarm.ts'
import { DueHeap } from './due-heap.ts'
import { invalidParameter, SqsError } from './errors.ts'
import type { Message, OutgoingMessage, ReceivedMessage } from './message.ts'
import type { Queue, Waiter } from './queue.ts'
import { QueueCatalog } from './queue-catalog.ts'
import { readReceiptHandle } from './receipt-handle.ts'
import { toReceived } from './received-message.ts'
import { Store } from './store.ts'

// Above it AWS answers long polls with nothing. Source: SQS Developer Guide, standard queue quotas.
const maxInFlight = 120_000

/**
 * All queues of this machine: memory decides, the store follows. Every method takes effect at once in memory;
 * an answer may leave only after `settled()`.
 */
export class Broker {
  readonly #clock: Clock
  readonly #store: Store
  readonly catalog: QueueCatalog
  readonly #alarm: ClockAlarm
  readonly #woken = new Set<Queue>()
  readonly #due = new DueHeap<{ queue: Queue; message: Message }>(
    ({ message }, at) => message.visibleAt === at && (message.state === 'delayed' || message.state === 'inFlight'),
  )
  #nextSeq = 1

  constructor(path: string, clock: Clock) {
    this.#clock = clock
    this.#store = new Store(path, () => this.#serveWoken())
    this.catalog = new QueueCatalog(this.#store, () => this.now())
    this.#alarm = new ClockAlarm(clock, () => this.advance())
    this.#load()
  }

  get store(): Store {
    return this.#store
  }

  now(): number {
    return this.#clock.now()
  }

  settled(): Promise<void> {
    return this.#store.commit.settled()
  }

  send(queue: Queue, outgoing: OutgoingMessage): Message {
    const now = this.now()
    const delayMs = (outgoing.delayS ?? queue.number('DelaySeconds')) * 1000
    const message: Message = {
      seq: this.#nextSeq++,
      messageId: randomUUID(),
      groupId: outgoing.groupId,
      body: outgoing.body,
      messageAttributes: outgoing.messageAttributes ?? {},
      traceHeader: outgoing.traceHeader,
      sentAt: now,
      sourceArn: undefined,
      state: delayMs > 0 ? 'delayed' : 'ready',
      visibleAt: now + delayMs,
      receives: 0,
      firstReceivedAt: undefined,
    }
    this.#place(queue, message)
    return message
  }

  /** Moves a message to another queue. */
  transfer(from: Queue, message: Message, to: Queue, changes: Partial<Message>): void {
    const moved: Message = { ...message, ...changes, state: 'ready', visibleAt: this.now() }
    from.remove(message)
    this.#place(to, moved)
  }

  /** Takes up to `max` visible messages; they come back after the visibility time-out unless removed. */
  take(queue: Queue, max: number, visibilityTimeoutS: number | undefined): ReceivedMessage[] {
    this.advance()
    this.#expire(queue)
    const now = this.now()
    const visibleAt = now + (visibilityTimeoutS ?? queue.number('VisibilityTimeout')) * 1000
    const taken: Message[] = []
    while (taken.length < max && queue.counts().inFlight < maxInFlight) {
      const message = queue.shiftReady()
      if (message === undefined) break
      if (this.#moveWhenExhausted(queue, message)) continue
      message.receives++
      message.firstReceivedAt ??= now
      message.visibleAt = visibleAt
      queue.change(message, 'inFlight')
      this.#store.updateMessage(message)
      taken.push(message)
    }
    // Only now: with a time-out of 0 a message is visible again, and must not be taken twice by one call.
    for (const message of taken) this.#await(queue, message)
    return taken.map((message) => toReceived(queue, message))
  }

  /** Removes what a handle stands for; an older handle of a message received again removes nothing, as on AWS. */
  remove(queue: Queue, receiptHandle: string): void {
    const { seq, receives, messageId } = readReceiptHandle(queue.id, receiptHandle)
    const message = queue.find(seq)
    if (message === undefined || message.messageId !== messageId || message.receives !== receives) return
    queue.remove(message)
    this.#store.removeMessage(message)
  }

  changeVisibility(queue: Queue, receiptHandle: string, timeoutS: number): void {
    this.advance()
    const { seq, receives, messageId } = readReceiptHandle(queue.id, receiptHandle)
    const message = queue.find(seq)
    if (message === undefined || message.messageId !== messageId) {
      throw invalidParameter('ReceiptHandle', receiptHandle, 'Message does not exist or is not available for change.')
    }
    if (message.state !== 'inFlight' || message.receives !== receives) {
      throw new SqsError('MessageNotInflight', 'The message referred to is not in flight.')
    }
    message.visibleAt = this.now() + timeoutS * 1000
    this.#store.updateMessage(message)
    this.#await(queue, message)
  }

  releaseInFlight(): void {
    const now = this.now()
    for (const queue of this.catalog.all()) {
      for (const message of queue.messages()) {
        if (message.state !== 'inFlight') continue
        message.visibleAt = now
        this.#store.updateMessage(message)
        this.#await(queue, message)
      }
    }
  }

  /** Makes everything visible whose time has come, and sets the alarm for the next. */
  advance(): void {
    const now = this.now()
    for (let due = this.#due.popDue(now); due !== undefined; due = this.#due.popDue(now)) {
      due.queue.change(due.message, 'ready')
      this.#wake(due.queue)
    }
    this.#alarm.set(this.#due.nextAt())
  }

  nextDueAt(): number | undefined {
    this.advance()
    return this.#due.nextAt()
  }

  /** Counts after retention and due times were applied. */
  counts(queue: Queue): ReturnType<Queue['counts']> {
    this.advance()
    this.#expire(queue)
    return queue.counts()
  }

  addWaiter(queue: Queue, waiter: Waiter): void {
    queue.waiters.add(waiter)
  }

  close(): void {
    this.#alarm.set(undefined)
    for (const queue of this.catalog.all()) for (const waiter of queue.waiters) waiter.finish([])
    this.#store.close()
  }

  #load(): void {
    const byId = new Map(this.catalog.all().map((queue) => [queue.id, queue]))
    for (const { queueId, message } of this.#store.loadMessages()) {
      this.#nextSeq = Math.max(this.#nextSeq, message.seq + 1)
      const queue = byId.get(queueId)
      if (queue === undefined) throw new Error(`the queue file holds message ${message.messageId} without its queue`)
      queue.add(message)
      this.#due.push(message.visibleAt, { queue, message })
    }
    this.advance()
  }

  #place(queue: Queue, message: Message): void {
    queue.add(message)
    this.#store.putMessage(queue, message)
    if (message.state === 'ready') this.#wake(queue)
    else this.#await(queue, message)
  }

  #await(queue: Queue, message: Message): void {
    if (message.visibleAt <= this.now()) {
      queue.change(message, 'ready')
      this.#wake(queue)
      return
    }
    this.#due.push(message.visibleAt, { queue, message })
    this.#alarm.set(this.#due.nextAt())
  }

  #expire(queue: Queue): void {
    const now = this.now()
    for (let old = queue.shiftExpired(now); old !== undefined; old = queue.shiftExpired(now)) {
      this.#store.removeMessage(old)
    }
  }

  #moveWhenExhausted(queue: Queue, message: Message): boolean {
    if (queue.redrive === undefined || message.receives < queue.redrive.maxReceiveCount) return false
    const target = this.catalog.find(queue.redrive.deadLetterTargetArn)
    if (target === undefined) return false
    this.transfer(queue, message, target, { sourceArn: queue.arn })
    return true
  }

  #wake(queue: Queue): void {
    this.#woken.add(queue)
    this.#store.commit.schedule()
  }

  /** Serves long polls once per turn, so that a batch of ten arrives as ten. */
  #serveWoken(): void {
    for (const queue of this.#woken) {
      this.#woken.delete(queue)
      for (const waiter of queue.waiters) {
        const messages = this.take(queue, waiter.max, waiter.visibilityTimeoutS)
        if (messages.length === 0) break
        waiter.finish(messages)
      }
    }
  }
}
