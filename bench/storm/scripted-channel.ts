import type { ChannelClient } from '../../modules/channels/clients.ts'
import { type ChannelId, parseChannelTxnId } from '../../modules/core/ids.ts'
import { must } from '../must.ts'
import type { VirtualTime } from './virtual-time.ts'

/** How long a channel takes to answer. Assumed. */
const ANSWER_MS = { least: 80, spread: 240 }

/** A channel that says of every payment that it was made, and notes when it was asked. */
export class ScriptedChannel {
  /** When each call started, and about which payAttempt. */
  readonly calls: { readonly atMs: number; readonly outTradeNo: string }[] = []
  readonly client: ChannelClient

  constructor(channel: ChannelId, time: VirtualTime, random: () => number) {
    this.client = {
      query: async ({ outTradeNo, money }) => {
        this.calls.push({ atMs: time.nowMs, outTradeNo })
        await time.sleep(Math.round(ANSWER_MS.least + random() * ANSWER_MS.spread))
        const channelTxnId = must(parseChannelTxnId(`txn-${outTradeNo}`))
        return {
          state: 'paid',
          outcome: { kind: 'done' },
          event: {
            channel,
            eventId: `query/${channelTxnId}`,
            kind: 'payment',
            trust: 'fact',
            outTradeNo,
            channelTxnId,
            money,
          },
        }
      },
    }
  }
}
