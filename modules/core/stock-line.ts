import type { Machine } from './machine.ts'

export const lineStates = ['RESERVED', 'SOLD', 'RELEASED', 'DROPPED', 'RESTOCKED'] as const
export type LineState = (typeof lineStates)[number]
export type LineEvent =
  | 'sell'
  | 'release'
  /** A person closed its delivery: it will not be handed over. */
  | 'drop'
  | 'restock'

/** The goods of one order line: taken once, given back at most once. Source: docs/design/states.md, Line. */
export const lineMachine: Machine<LineState, LineEvent> = {
  name: 'line',
  initial: ['RESERVED'],
  final: ['RELEASED', 'RESTOCKED'],
  edges: {
    RESERVED: { sell: 'SOLD', release: 'RELEASED' },
    SOLD: { drop: 'DROPPED', restock: 'RESTOCKED' },
    DROPPED: { restock: 'RESTOCKED' },
    RELEASED: {},
    RESTOCKED: {},
  },
}
