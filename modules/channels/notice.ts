import type { ChannelEvent, ChannelEventKind } from '../core/channel-event.ts'
import type { ChannelId } from '../core/ids.ts'
import type { Parsed } from './channel.ts'
import { UnreadableFieldError } from './field.ts'

type Details = Omit<ChannelEvent, 'channel' | 'eventId' | 'kind' | 'trust'>

/** What a notice says, each detail present or not. */
export type Fact = { readonly kind: ChannelEventKind } & {
  readonly [Name in keyof Details]?: Details[Name] | undefined
}

/**
 * Runs the reading of one verified notice, and turns the field that could not be read into a value.
 * @param trust `hint` where the channel's signature does not hold the figures
 */
export function readNotice(
  channel: ChannelId,
  eventId: string,
  read: () => Fact,
  trust: ChannelEvent['trust'] = 'fact',
): Parsed {
  try {
    return { ok: true, events: [{ ...toEvent(channel, eventId, read()), trust }] }
  } catch (error) {
    if (error instanceof UnreadableFieldError) {
      return { ok: false, eventId, field: error.field, problem: error.problem }
    }
    throw error
  }
}

/** The event of a fact: only the details that are present. */
export function toEvent(channel: ChannelId, eventId: string, fact: Fact): ChannelEvent {
  return {
    channel,
    eventId,
    kind: fact.kind,
    trust: 'fact',
    ...(fact.outTradeNo !== undefined && { outTradeNo: fact.outTradeNo }),
    ...(fact.channelTxnId !== undefined && { channelTxnId: fact.channelTxnId }),
    ...(fact.refundNo !== undefined && { refundNo: fact.refundNo }),
    ...(fact.channelRefundId !== undefined && { channelRefundId: fact.channelRefundId }),
    ...(fact.money !== undefined && { money: fact.money }),
    ...(fact.cumulative !== undefined && { cumulative: fact.cumulative }),
    ...(fact.paidAt !== undefined && { paidAt: fact.paidAt }),
    ...(fact.undo !== undefined && { undo: fact.undo }),
    ...(fact.code !== undefined && { code: fact.code }),
  }
}
