import type { OutgoingCallback } from '../local/world/channels/protocol.ts'
import { openProtocol } from '../local/world/channels/start-simulators.ts'
import type { ChannelAccount } from '../modules/channels/account.ts'

/** A channel that signs notices of payments as its simulator does, without sending them. */
export interface Signer {
  readonly account: ChannelAccount
  /** The text of the secret that Backstop holds. */
  readonly secret: string
  /** The signed notice that the `number`-th payment was made, over `amount` in CNY minor units. */
  sign(
    payment: { readonly outTradeNo: string; readonly amount: number },
    number: number,
    nowMs: number,
  ): OutgoingCallback
}

/** @param folder of the simulators' keys, made there when there are none */
export async function openSigner(folder: string, account: ChannelAccount): Promise<Signer> {
  const protocol = await openProtocol(folder, account)
  return {
    account,
    secret: protocol.secret,
    sign: ({ outTradeNo, amount }, number, nowMs) => {
      const eventId = protocol.newEventId(number, nowMs)
      const payment = {
        id: number,
        outTradeNo,
        channelTxnId: protocol.newTxnId(number, nowMs),
        status: 'paid',
        amount,
        currency: 'CNY',
        createdAt: nowMs - 30_000,
        paidAt: nowMs - 1_000,
      } as const
      const content = protocol.describe('paid', payment, eventId, nowMs)
      if (content === undefined) throw new Error(`${account.id} sends no notice of a payment.`)
      return protocol.encode(content, eventId, nowMs, undefined)
    },
  }
}
