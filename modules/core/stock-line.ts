import type { Machine } from './machine.ts'

export type LineState = 'RESERVED' | 'SOLD' | 'RELEASED' | 'RESTOCKED'
export type LineEvent = 'sell' | 'release' | 'restock'

/** The goods of one order line: taken once, given back at most once. Source: docs/design/states.md, Line. */
export const lineMachine: Machine<LineState, LineEvent> = {
  name: 'line',
  initial: ['RESERVED'],
  final: ['RELEASED', 'RESTOCKED'],
  edges: {
    RESERVED: { sell: 'SOLD', release: 'RELEASED' },
    SOLD: { restock: 'RESTOCKED' },
    RELEASED: {},
    RESTOCKED: {},
  },
}
