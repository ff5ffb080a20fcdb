import type { Message } from './message.ts'

class Lane {
  #messages: Message[] = []
  #head = 0

  push(message: Message): void {
    this.#messages.push(message)
  }

  /** The next message that is still ready; one that was deleted or expired meanwhile is passed over. */
  shift(): Message | undefined {
    while (this.#head < this.#messages.length) {
      const message = this.#messages[this.#head++]
      if (this.#head > 1024 && this.#head * 2 > this.#messages.length) this.#trim()
      if (message?.state === 'ready') return message
    }
    return undefined
  }

  #trim(): void {
    this.#messages = this.#messages.slice(this.#head)
    this.#head = 0
  }
}

/**
 * Visible messages, one lane per MessageGroupId, served in turn, so that a noisy group delays a quiet one by one message.
 * Messages without a group share one lane. Source: SQS Developer Guide, "Amazon SQS fair queues".
 */
export class ReadyLanes {
  readonly #lanes = new Map<string, Lane>()

  push(message: Message): void {
    const group = message.groupId ?? ''
    const lane = this.#lanes.get(group) ?? new Lane()
    lane.push(message)
    this.#lanes.set(group, lane)
  }

  /** Takes the next message out. */
  shift(): Message | undefined {
    for (const [group, lane] of this.#lanes) {
      // Deleting and setting again moves a lane to the end of the Map's order: its turn is over.
      this.#lanes.delete(group)
      const message = lane.shift()
      if (message === undefined) continue
      this.#lanes.set(group, lane)
      return message
    }
    return undefined
  }
}
