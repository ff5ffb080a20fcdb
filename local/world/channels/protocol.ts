import type { Payment, PaymentEvent, Tamper } from './payment.ts'

/** A request to the channel's own API, as it came. */
export interface ApiRequest {
  readonly method: string
  /** Path and query as written: some channels have them signed. */
  readonly target: string
  readonly url: URL
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

export interface ApiAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A callback ready to be sent. */
export interface OutgoingCallback {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer>
}

/** What the channel's API may do with payments. */
export interface ApiDesk {
  /** ms since the epoch */
  now(): number
  /** The newest payment under the merchant's number. */
  find(outTradeNo: string): Payment | undefined
  findByTxnId(channelTxnId: string): Payment | undefined
  place(order: Order): Payment
  /** Closes an open payment and tells the merchant where this channel does. */
  close(payment: Payment): Payment
  /** What the API keeps beside payments, by a name of its own. */
  recall(name: string): string | undefined
  remember(name: string, value: string): void
}

export interface Order {
  readonly outTradeNo: string
  /** ISO minor units */
  readonly amount: number
  readonly currency: string
  /** False while the channel would still deny the payment, until the buyer turns up. */
  readonly shown?: boolean
}

/** How one kind of channel speaks. It keeps no state: payments and notices are the simulator's. */
export interface Protocol {
  /** The text of the secret that Backstop holds for the channel. */
  readonly secret: string
  /** The only currency there is, or `undefined` for many. */
  readonly onlyCurrency?: string
  /** True where one merchant number can be paid by several transactions. */
  readonly paysAgain: boolean
  /** Harm that can be done to this channel's notices. */
  readonly tampers: readonly Tamper[]
  /** Waits between sends; after the last one the channel gives up. */
  readonly resendAfterMs: readonly number[]
  /**
   * After this many sends a notice stands in the queue of its endpoint, and holds up all later ones until it is acknowledged.
   * Without it, no notice waits for another.
   */
  readonly queuedAfterSends?: number
  /** How long the channel waits for an answer to a callback, in real time. */
  readonly answerTimeoutMs: number
  /** Whether an answer says "received" in the channel's exact words. */
  isAck(status: number, body: Buffer): boolean
  /** Whether an answer makes the channel stop sending although nothing was received. */
  isStop?(status: number): boolean
  newTxnId(number: number, nowMs: number): string
  newEventId(number: number, nowMs: number): string
  /** The facts of a notice, or `undefined` where this channel sends none. */
  describe(event: PaymentEvent, payment: Payment, eventId: string, nowMs: number): string | undefined
  /** The facts of a notice that the buyer's money is under way, where this channel sends one. */
  describePending?(payment: Payment, eventId: string, nowMs: number): string
  /** Signs `content` as it is sent at `nowMs`, harmed when `tamper` is given. */
  encode(content: string, eventId: string, nowMs: number, tamper: Tamper | undefined): OutgoingCallback
  /** The channel's API. Never throws on input. */
  answer(request: ApiRequest, desk: ApiDesk): ApiAnswer
  /** What the API says when it is called too often. */
  throttle(request: ApiRequest, nowMs: number): ApiAnswer
}

/** A JSON answer. */
export function answerJson(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): ApiAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) }
}

/** `text` with another first character, of the alphabets of hex and base64 alike. */
export function damage(text: string): string {
  return `${text.startsWith('a') ? 'b' : 'a'}${text.slice(1)}`
}
