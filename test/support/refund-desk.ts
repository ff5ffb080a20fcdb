import type { AskedPayment, AskedRefund, RefundDesk } from '../../functions/work/asking/channel-desk.ts'
import type { RefundAnswer } from '../../modules/channels/client.ts'
import type { ChannelEvent, Undo } from '../../modules/core/channel-event.ts'
import { parseChannelTxnId, parseOutTradeNo } from '../../modules/core/ids.ts'
import { money, sure } from './core-builders.ts'
import { BANK } from './world-bank.ts'

/** A channel that tells what went back of a payment as a test says, and notes what it was asked by. */
export interface ScriptedRefunds extends RefundDesk {
  readonly asked: AskedPayment[]
  /** The next answers; the last one is given for ever. */
  answers: readonly AskedRefund[]
}

export function openRefundDesk(...answers: readonly AskedRefund[]): ScriptedRefunds {
  const desk: ScriptedRefunds = {
    asked: [],
    answers,
    canQueryRefund: () => true,
    queryRefund: async (payment) => {
      desk.asked.push(payment)
      const [next, ...rest] = desk.answers
      if (rest.length > 0) desk.answers = rest
      return next ?? tells()
    },
  }
  return desk
}

/** All that the channel knows: these facts, and nothing else went back. */
export function tells(...events: readonly ChannelEvent[]): AskedRefund {
  return answers({ outcome: { kind: 'done' }, events })
}

export function answers(answer: RefundAnswer): AskedRefund {
  return { kind: 'answer', answer }
}

interface About {
  readonly txn: string
  readonly outTradeNo?: string | undefined
}

/** One movement of a payment, 30.00 unless it says otherwise. */
export function movement(
  { txn, outTradeNo }: About,
  id: string,
  change: Partial<Undo> & { readonly kind?: 'refund' | 'dispute' } = {},
): ChannelEvent {
  const { kind = 'refund', ...undo } = change
  const state = undo.state ?? 'done'
  return {
    ...base(txn, outTradeNo),
    kind,
    eventId: `query/${id}/${state}`,
    undo: { form: 'one', id, money: money(3000), ...undo, state },
  }
}

/** That the payment was made. */
export function payment({ txn, outTradeNo }: About, amount = 8800): ChannelEvent {
  return { ...base(txn, outTradeNo), kind: 'payment', eventId: `query/${txn}`, money: money(amount) }
}

function base(txn: string, outTradeNo: string | undefined) {
  return {
    channel: BANK,
    trust: 'fact',
    channelTxnId: sure(parseChannelTxnId(txn)),
    ...(outTradeNo !== undefined && { outTradeNo: sure(parseOutTradeNo(outTradeNo)) }),
  } as const
}
