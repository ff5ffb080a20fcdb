import type { RefundState } from './refund.ts'

/** What a channel tells of a refund under a number of ours. */
export type OwnNews = 'done' | 'refused' | 'abnormal' | 'pending' | 'denied'

export type NewsTicket = 'FOREIGN_USE' | 'REFUND_ABNORMAL' | 'CONTRADICTED' | 'CONFLICT'

/** What follows; without `to` the state stays. */
export interface OwnNewsStep {
  readonly to?: RefundState
  /** The task asks the channel now. */
  readonly wake?: true
  readonly ticket?: NewsTicket
  /** The order's effects stop. */
  readonly freeze?: true
}

const nothing: OwnNewsStep = {}
const wake: OwnNewsStep = { wake: true }
const contradicted: OwnNewsStep = { ticket: 'CONTRADICTED' }

type Row = Readonly<Record<RefundState, OwnNewsStep>>

/** Every news in every state of a refund of ours. Source: docs/design/money-back.md */
const table: Readonly<Record<OwnNews, Row>> = {
  done: {
    // Nobody of ours has sent it: somebody uses our number.
    CREATED: { to: 'DONE', ticket: 'FOREIGN_USE' },
    UNKNOWN: { to: 'DONE' },
    SUBMITTED: { to: 'DONE' },
    DONE: nothing,
    REFUSED: { to: 'DONE', ticket: 'CONTRADICTED' },
    CANCELLED: { to: 'DONE', ticket: 'FOREIGN_USE' },
    REVERSED: { to: 'DONE', ticket: 'CONTRADICTED' },
  },
  refused: {
    CREATED: contradicted,
    // Proof only where no earlier send of the key is unanswered: the question decides.
    UNKNOWN: wake,
    SUBMITTED: { to: 'REFUSED' },
    DONE: { to: 'REVERSED', ticket: 'CONTRADICTED' },
    REFUSED: nothing,
    CANCELLED: nothing,
    REVERSED: nothing,
  },
  // The money has left us and the buyer cannot get it: a person looks after it in the channel's console.
  abnormal: {
    CREATED: contradicted,
    UNKNOWN: { to: 'SUBMITTED', ticket: 'REFUND_ABNORMAL' },
    SUBMITTED: { ticket: 'REFUND_ABNORMAL' },
    DONE: contradicted,
    REFUSED: contradicted,
    CANCELLED: contradicted,
    REVERSED: contradicted,
  },
  pending: {
    CREATED: wake,
    UNKNOWN: { to: 'SUBMITTED' },
    SUBMITTED: nothing,
    DONE: nothing,
    REFUSED: wake,
    CANCELLED: contradicted,
    REVERSED: nothing,
  },
  denied: {
    CREATED: nothing,
    UNKNOWN: nothing,
    SUBMITTED: { to: 'UNKNOWN' },
    DONE: { ticket: 'CONFLICT', freeze: true },
    REFUSED: nothing,
    CANCELLED: nothing,
    REVERSED: nothing,
  },
}

/**
 * What news of a refund of ours leads to.
 * @param isOlder the channel's time of this news is before that of the newest we have: then nothing changes, except that money
 * which is out stays out
 */
export function ownRefundNews(news: OwnNews, state: RefundState, isOlder: boolean): OwnNewsStep {
  if (isOlder && (state === 'DONE' || state === 'REVERSED' || news !== 'done')) return nothing
  return table[news][state]
}
