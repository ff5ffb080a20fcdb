import type { Brand } from './brand.ts'
import {
  type ChannelId,
  type ChannelTxnId,
  type OrderNo,
  type OutTradeNo,
  parseChannelId,
  parseChannelTxnId,
  parseOrderNo,
  parseOutTradeNo,
  parseRefundNo,
  type RefundNo,
  type TaskNo,
} from './ids.ts'
import type { TaskType } from './task-policies.ts'

/** What a task is about, by its type: with the type it makes the task unique. */
export interface BizSubjects {
  /** A payAttempt, or one payment of it that a hint named. */
  readonly QUERY_PAYMENT: {
    readonly channel: ChannelId
    readonly outTradeNo: OutTradeNo
    readonly channelTxnId?: ChannelTxnId
  }
  readonly CLOSE_ORDER: { readonly orderNo: OrderNo }
  readonly CLOSE_ATTEMPT: { readonly channel: ChannelId; readonly outTradeNo: OutTradeNo }
  readonly DELIVER: { readonly orderNo: OrderNo; readonly line: number }
  readonly REFUND: { readonly refundNo: RefundNo }
  /** A payment whose money may have gone back; `turn` counts the questions about it, from 2 on. */
  readonly QUERY_REFUND: { readonly channel: ChannelId; readonly channelTxnId: ChannelTxnId; readonly turn?: number }
  /** An event of a callback. `twist` tells a second task of it: other bytes of the event, or its order that arrived. */
  readonly SETTLE_CALLBACK: { readonly channel: ChannelId; readonly eventId: string; readonly twist?: string }
  /** A change that the merchant is told of; `replay` counts how often it was told anew. */
  readonly NOTIFY: { readonly eventId: string; readonly replay?: number }
  readonly VERIFY_STATUS: { readonly cause: string }
  readonly SETTLEMENT_WRITEBACK: { readonly orderNo: OrderNo }
  readonly RELEASE_STOCK: { readonly orderNo: OrderNo; readonly line: number }
  /** One business fact that only a person can take further. */
  readonly REVIEW: { readonly kind: string; readonly channel: ChannelId; readonly id: string }
  readonly START_EXECUTION: { readonly taskNo: TaskNo; readonly run: number }
  readonly RESUME_EXECUTION: { readonly taskNo: TaskNo; readonly turn: string }
  readonly FETCH_BILL: { readonly channel: ChannelId; readonly billDay: string }
}

/** A business number of one type of task. */
export type BizNo<Type extends TaskType> = Brand<string, `BizNo of ${Type}`>

type Writers = { readonly [Type in TaskType]: (subject: BizSubjects[Type]) => readonly (string | number | undefined)[] }

/** The parts of each type's number, in their order; `/` stands between them. */
const parts: Writers = {
  QUERY_PAYMENT: ({ channel, outTradeNo, channelTxnId }) => [channel, outTradeNo, channelTxnId],
  CLOSE_ORDER: ({ orderNo }) => [orderNo],
  CLOSE_ATTEMPT: ({ channel, outTradeNo }) => [channel, outTradeNo],
  DELIVER: ({ orderNo, line }) => [orderNo, line],
  REFUND: ({ refundNo }) => [refundNo],
  QUERY_REFUND: ({ channel, channelTxnId, turn }) => [channel, channelTxnId, turn],
  SETTLE_CALLBACK: ({ channel, eventId, twist }) => [channel, eventId, twist],
  NOTIFY: ({ eventId, replay }) => [eventId, ...(replay === undefined ? [] : ['replay', replay])],
  VERIFY_STATUS: ({ cause }) => [cause],
  SETTLEMENT_WRITEBACK: ({ orderNo }) => [orderNo],
  RELEASE_STOCK: ({ orderNo, line }) => [orderNo, line],
  REVIEW: ({ kind, channel, id }) => [kind, channel, id],
  START_EXECUTION: ({ taskNo, run }) => [taskNo, run],
  RESUME_EXECUTION: ({ taskNo, turn }) => [taskNo, turn],
  FETCH_BILL: ({ channel, billDay }) => [channel, billDay],
}

/** The number of what a task is about: the same in every process, so that a second run finds the first one's row. */
export function bizNoOf<Type extends TaskType>(type: Type, subject: BizSubjects[Type]): BizNo<Type> {
  return parts[type](subject)
    .filter((part) => part !== undefined)
    .join('/') as BizNo<Type>
}

/** The payAttempt of a question or a closing, and the payment that the question names. */
export function parsePayAttemptNo(bizNo: string): BizSubjects['QUERY_PAYMENT'] | undefined {
  const [id = '', number = '', ...rest] = bizNo.split('/')
  const channel = parseChannelId(id)
  const outTradeNo = parseOutTradeNo(number)
  // A channel's number of a payment may hold a slash itself.
  const channelTxnId = rest.length === 0 ? undefined : parseChannelTxnId(rest.join('/'))
  if (channel === undefined || outTradeNo === undefined) return undefined
  if (rest.length > 0 && channelTxnId === undefined) return undefined
  return { channel, outTradeNo, ...(channelTxnId !== undefined && { channelTxnId }) }
}

/** The transaction that a REVIEW of undone money is about: `kind/channel/transaction/generation`. */
export function parseReviewNo(
  bizNo: string,
): { readonly channel: ChannelId; readonly channelTxnId: ChannelTxnId } | undefined {
  const [, id = '', ...rest] = bizNo.split('/')
  const channel = parseChannelId(id)
  // A channel's number may hold a slash itself.
  const channelTxnId = parseChannelTxnId(rest.slice(0, -1).join('/'))
  return channel === undefined || channelTxnId === undefined ? undefined : { channel, channelTxnId }
}

/** The order of a number that begins with one (CLOSE_ORDER, DELIVER, NOTIFY and their like), and the line that follows it. */
export function parseOrderPart(bizNo: string): { readonly orderNo: OrderNo; readonly line?: number } | undefined {
  const [number = '', line = ''] = bizNo.split('/')
  const orderNo = parseOrderNo(number)
  if (orderNo === undefined) return undefined
  return { orderNo, ...(/^[1-9]\d{0,2}$/.test(line) && { line: Number(line) }) }
}

/** The refund of a REFUND. */
export function parseRefundPart(bizNo: string): BizSubjects['REFUND'] | undefined {
  const refundNo = parseRefundNo(bizNo)
  return refundNo === undefined ? undefined : { refundNo }
}
