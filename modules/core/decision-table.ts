import type { Assessment } from './assessment.ts'

export const decisionKinds = [
  'RETRY',
  'CLOSE',
  'CONFIRM_DONE',
  'MARK_PAID',
  'REDELIVER',
  'REFUND',
  'RECLAIM',
  'LINK_ORDER',
  'ACCEPT_DIFFERENCE',
  'OBSERVE_UNTIL',
] as const
export type DecisionKind = (typeof decisionKinds)[number]

/** Tickets that are decided alike. */
export type TicketClass =
  | 'approval'
  | 'refund'
  | 'deliver'
  | 'close'
  | 'ask'
  | 'repair'
  | 'undone'
  | 'orphan'
  | 'disagreement'
  | 'unreadable'
  | 'reclaim'
  | 'notice'

/** Who may decide so: one person, or two where it could cost money that nobody else checks. */
export type Eyes = 'one' | 'two'

export interface Witnesses {
  /** The channel's newest answer or a bill affirms the execution. */
  readonly isAffirmed: boolean
  /** The receiver promises to notice a repeated webhook-id. */
  readonly dedupes: boolean
}

type Rule = Eyes | ((witnesses: Witnesses) => Eyes | undefined)
type Row = { readonly [Kind in DecisionKind]?: Rule }

const ifAffirmed = ({ isAffirmed }: Witnesses): Eyes | undefined => (isAffirmed ? 'one' : undefined)
const oneIfAffirmed = ({ isAffirmed }: Witnesses): Eyes => (isAffirmed ? 'one' : 'two')
const ifDedupes = ({ dedupes }: Witnesses): Eyes | undefined => (dedupes ? 'two' : undefined)

const everyWord = (row: Row): Readonly<Record<Assessment, Row>> => ({
  NOT_EXECUTED: row,
  OBSERVING: row,
  EXECUTED_NO_RECEIPT: row,
  CONFLICT: row,
})

const onlyElsewhere: Row = { CLOSE: 'one', OBSERVE_UNTIL: 'one' }
const closing: Row = { RETRY: 'one', MARK_PAID: 'two', OBSERVE_UNTIL: 'one' }
const orphaned: Row = { LINK_ORDER: 'one', REFUND: 'one', CLOSE: 'two', OBSERVE_UNTIL: 'one' }

/** What may be decided, by ticket and assessment; what is not here is refused. Source: docs/design/tickets.md */
const table: Readonly<Record<TicketClass, Readonly<Record<Assessment, Row>>>> = {
  approval: {
    NOT_EXECUTED: { RETRY: 'one', CLOSE: 'one', OBSERVE_UNTIL: 'one' },
    // The money went back another way: there is nothing left to approve.
    OBSERVING: onlyElsewhere,
    EXECUTED_NO_RECEIPT: onlyElsewhere,
    CONFLICT: onlyElsewhere,
  },
  refund: {
    NOT_EXECUTED: { RETRY: 'one', CLOSE: 'one', OBSERVE_UNTIL: 'one' },
    OBSERVING: { OBSERVE_UNTIL: 'one', CONFIRM_DONE: ifAffirmed },
    EXECUTED_NO_RECEIPT: { CONFIRM_DONE: oneIfAffirmed, OBSERVE_UNTIL: 'one' },
    CONFLICT: { CONFIRM_DONE: 'two', OBSERVE_UNTIL: 'one' },
  },
  deliver: {
    NOT_EXECUTED: { RETRY: 'one', CLOSE: 'one', REFUND: 'one' },
    OBSERVING: { CONFIRM_DONE: 'one', OBSERVE_UNTIL: 'one' },
    EXECUTED_NO_RECEIPT: { CONFIRM_DONE: 'one', REDELIVER: ifDedupes, REFUND: 'two', RECLAIM: 'one' },
    CONFLICT: { CONFIRM_DONE: 'two', RECLAIM: 'one', OBSERVE_UNTIL: 'one' },
  },
  close: {
    // They ask before they act.
    NOT_EXECUTED: closing,
    OBSERVING: closing,
    EXECUTED_NO_RECEIPT: closing,
    CONFLICT: { MARK_PAID: 'two', OBSERVE_UNTIL: 'one' },
  },
  ask: {
    NOT_EXECUTED: { RETRY: 'one', MARK_PAID: 'two', CLOSE: 'one' },
    OBSERVING: { RETRY: 'one', OBSERVE_UNTIL: 'one' },
    EXECUTED_NO_RECEIPT: { RETRY: 'one', MARK_PAID: 'two', CLOSE: 'two' },
    CONFLICT: { MARK_PAID: 'two', OBSERVE_UNTIL: 'one' },
  },
  // Our own books: a repeat moves no money.
  repair: everyWord({ RETRY: 'one', CLOSE: 'two', OBSERVE_UNTIL: 'one' }),
  undone: {
    NOT_EXECUTED: { CLOSE: 'two' },
    OBSERVING: { OBSERVE_UNTIL: 'one', CONFIRM_DONE: 'one' },
    EXECUTED_NO_RECEIPT: { CONFIRM_DONE: 'one', REFUND: 'one', RECLAIM: 'one', OBSERVE_UNTIL: 'one' },
    CONFLICT: { CONFIRM_DONE: 'two', RECLAIM: 'one', OBSERVE_UNTIL: 'one' },
  },
  orphan: {
    NOT_EXECUTED: orphaned,
    OBSERVING: orphaned,
    EXECUTED_NO_RECEIPT: orphaned,
    CONFLICT: { REFUND: 'two', OBSERVE_UNTIL: 'one' },
  },
  disagreement: {
    NOT_EXECUTED: {},
    OBSERVING: { OBSERVE_UNTIL: 'one' },
    EXECUTED_NO_RECEIPT: {},
    CONFLICT: { REFUND: 'one', LINK_ORDER: 'two', ACCEPT_DIFFERENCE: 'two', MARK_PAID: 'two', OBSERVE_UNTIL: 'one' },
  },
  unreadable: everyWord({ CLOSE: 'one', MARK_PAID: 'two' }),
  reclaim: everyWord({ CONFIRM_DONE: 'one', CLOSE: 'two', OBSERVE_UNTIL: 'one' }),
  // A fact about a channel, a file or an invariant: somebody has to see it.
  notice: everyWord({ CLOSE: 'one', OBSERVE_UNTIL: 'one' }),
}

/** How many people a decision needs, or `undefined` when it is refused. Total over its arguments. */
export function eyesFor(
  ticket: TicketClass,
  assessment: Assessment,
  kind: DecisionKind,
  witnesses: Witnesses,
): Eyes | undefined {
  const rule = table[ticket][assessment][kind]
  return typeof rule === 'function' ? rule(witnesses) : rule
}
