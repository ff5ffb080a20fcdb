import type { Clock } from '../../host/clock/clock.ts'
import type { Engine } from '../engine.ts'
import { Broker } from './broker.ts'
import { type ReceiveOptions, receiveMessages } from './long-poll.ts'
import type { OutgoingMessage, ReceivedMessage } from './message.ts'
import type { QueueCounts } from './queue.ts'
import { queueArn } from './queue-names.ts'
import { checkMessage } from './wire/check-message.ts'
import { handleRequest } from './wire/handle-request.ts'

/** Standard queues on this machine. In-process calls answer after the commit, like the wire. */
export interface SqsEngine extends Engine {
  /**
   * Creates a queue, or brings an existing one to these attributes.
   * @param attributes by wire name; template values (numbers, objects) are accepted
   */
  createQueue(name: string, attributes?: Readonly<Record<string, unknown>>): Promise<{ url: string; arn: string }>
  /** @throws SqsError QueueDoesNotExist, InvalidMessageContents or InvalidParameterValue */
  send(name: string, message: OutgoingMessage): Promise<{ messageId: string }>
  /** Takes visible messages, or waits for the first to come; empty when the wait ended or was aborted. */
  receive(name: string, options: ReceiveOptions): Promise<readonly ReceivedMessage[]>
  /** @throws SqsError ReceiptHandleIsInvalid; handles before the bad one have taken effect */
  remove(name: string, receiptHandles: readonly string[]): Promise<void>
  /** @throws SqsError MessageNotInflight, ReceiptHandleIsInvalid or InvalidParameterValue */
  changeVisibility(name: string, receiptHandle: string, timeoutS: number): Promise<void>
  counts(name: string): QueueCounts
  /** Makes every in-flight message visible: called once at start, when the consumers of before the crash are gone. */
  releaseInFlight(): Promise<void>
  /** Whether a message can be received now, in the named queues or, without names, in any. */
  hasVisible(...names: readonly string[]): boolean
}

/**
 * Opens the queues kept in a file.
 * @param options.path a file, or `:memory:`
 * @param options.urlBase origin under which queue URLs are given out, asked anew each time
 */
export function openSqs(options: { path: string; clock: Clock; urlBase: () => string }): SqsEngine {
  const broker = new Broker(options.path, options.clock)
  const urlOf = (name: string): string => `${options.urlBase()}/000000000000/${name}`
  return {
    handle: (request, response) => handleRequest({ broker, urlOf }, request, response),
    nextDueAt: () => broker.nextDueAt(),
    close: () => broker.close(),
    createQueue: async (name, attributes = {}) => {
      const existing = broker.catalog.find(name)
      if (existing === undefined) broker.catalog.create(name, attributes)
      else broker.catalog.setAttributes(existing, attributes)
      await broker.settled()
      return { url: urlOf(name), arn: queueArn(name) }
    },
    send: async (name, message) => {
      const queue = broker.catalog.get(name)
      checkMessage(queue, message)
      const { messageId } = broker.send(queue, message)
      await broker.settled()
      return { messageId }
    },
    receive: (name, receiveOptions) => receiveMessages(broker, name, receiveOptions),
    remove: async (name, receiptHandles) => {
      const queue = broker.catalog.get(name)
      for (const handle of receiptHandles) broker.remove(queue, handle)
      await broker.settled()
    },
    changeVisibility: async (name, receiptHandle, timeoutS) => {
      broker.changeVisibility(broker.catalog.get(name), receiptHandle, timeoutS)
      await broker.settled()
    },
    counts: (name) => broker.counts(broker.catalog.get(name)),
    releaseInFlight: async () => {
      broker.releaseInFlight()
      await broker.settled()
    },
    hasVisible: (...names) => {
      const queues = names.length === 0 ? broker.catalog.all() : names.map((name) => broker.catalog.get(name))
      return queues.some((queue) => broker.counts(queue).visible > 0)
    },
  }
}
