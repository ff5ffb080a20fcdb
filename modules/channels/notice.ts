import type { ChannelEvent, ChannelEventKind } from '../core/channel-event.ts'
import type { ChannelId } from '../core/ids.ts'
import type { Parsed, Unreadable } from './channel.ts'
import { UnreadableFieldError } from './field.ts'

type Details = Omit<ChannelEvent, 'channel' | 'eventId' | 'kind' | 'trust'>

/** What a notice says, each detail present or not. `hint` where its figures or its transaction are not certain. */
export type Fact = { readonly kind: ChannelEventKind; readonly trust?: ChannelEvent['trust'] } & {
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

/** What can be read of a notice that cannot be read as a whole. */
export interface Known extends Pick<Fact, 'outTradeNo' | 'channelTxnId'> {
  /** It is about money that may have come in. */
  readonly isMoney: boolean
}

/** One of the facts that a notice tells: under which id, how it is read, and what stays known when it cannot be. */
export interface FactReading {
  readonly eventId: string
  readonly read: () => Fact
  readonly known: Known
}

/** Reads each fact of a verified notice; one that cannot be read keeps none of its neighbours back. */
export function readFacts(channel: ChannelId, readings: readonly FactReading[]): Parsed {
  const read = readings.map((reading) => readFact(channel, reading))
  const events = read.filter((one) => 'kind' in one)
  const unreadable = read.filter((one) => 'problem' in one)
  const [only] = unreadable
  if (only !== undefined && events.length === 0 && unreadable.length === 1) return { ok: false, ...only }
  return { ok: true, events, ...(unreadable.length > 0 && { unreadable }) }
}

function readFact(channel: ChannelId, { eventId, read, known }: FactReading): ChannelEvent | Unreadable {
  try {
    return toEvent(channel, eventId, read())
  } catch (error) {
    if (!(error instanceof UnreadableFieldError)) throw error
    const { outTradeNo, channelTxnId, isMoney } = known
    return {
      eventId,
      field: error.field,
      problem: error.problem,
      ...(outTradeNo !== undefined && { outTradeNo }),
      ...(channelTxnId !== undefined && { channelTxnId }),
      isMoney,
    }
  }
}

/** The event of a fact: only the details that are present. */
export function toEvent(channel: ChannelId, eventId: string, fact: Fact): ChannelEvent {
  return {
    channel,
    eventId,
    kind: fact.kind,
    trust: fact.trust ?? 'fact',
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
