import type { Machine } from './machine.ts'

export const refundStates = ['CREATED', 'UNKNOWN', 'SUBMITTED', 'REFUSED', 'DONE', 'REVERSED', 'CANCELLED'] as const
export type RefundState = (typeof refundStates)[number]
export type RefundEvent =
  /** With the claim that may send: CREATED means "provably never under way" after any crash. */
  | 'send'
  | 'cancel'
  /** Only by the claim that began in CREATED and provably sent nothing. */
  | 'notSent'
  | 'accept'
  | 'finish'
  | 'refuse'
  /** The channel denies what it had accepted. */
  | 'loseSight'
  /** A person's decision, after proof: reserves again, under the next wire key. */
  | 'again'
  | 'reverse'

/** One movement of money back. Nothing leaves UNKNOWN without the channel's word. Source: docs/design/money-back.md */
export const refundMachine: Machine<RefundState, RefundEvent> = {
  name: 'refund',
  // What a channel tells of may have ended before we hear that it began.
  initial: ['CREATED', 'SUBMITTED', 'DONE', 'REFUSED', 'REVERSED'],
  final: [],
  edges: {
    CREATED: { send: 'UNKNOWN', cancel: 'CANCELLED', finish: 'DONE' },
    UNKNOWN: { notSent: 'CREATED', accept: 'SUBMITTED', finish: 'DONE', refuse: 'REFUSED' },
    SUBMITTED: { finish: 'DONE', refuse: 'REFUSED', loseSight: 'UNKNOWN', reverse: 'REVERSED' },
    REFUSED: { again: 'CREATED', cancel: 'CANCELLED', finish: 'DONE', reverse: 'REVERSED' },
    DONE: { reverse: 'REVERSED' },
    REVERSED: { finish: 'DONE' },
    CANCELLED: { finish: 'DONE' },
  },
}
