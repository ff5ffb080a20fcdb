import type { Machine } from './machine.ts'

export type RefundState = 'CREATED' | 'SUBMITTED' | 'DONE' | 'REFUSED' | 'UNKNOWN' | 'REVERSED'
export type RefundEvent = 'submit' | 'finish' | 'refuse' | 'loseSight' | 'reverse'

/** One movement of money back. Nothing leaves UNKNOWN without the channel's word. Source: design.md section 3. */
export const refundMachine: Machine<RefundState, RefundEvent> = {
  name: 'refund',
  initial: ['CREATED'],
  final: ['REVERSED'],
  edges: {
    CREATED: { submit: 'SUBMITTED' },
    SUBMITTED: { finish: 'DONE', refuse: 'REFUSED', loseSight: 'UNKNOWN' },
    UNKNOWN: { finish: 'DONE', refuse: 'REFUSED' },
    REFUSED: { finish: 'DONE' },
    DONE: { reverse: 'REVERSED' },
    REVERSED: {},
  },
}
