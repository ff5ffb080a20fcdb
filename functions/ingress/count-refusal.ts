import type { RefusalReason } from '../../modules/channels/channel.ts'
import type { ChannelId } from '../../modules/core/ids.ts'
import { emitMetric } from '../../modules/runtime/telemetry/metrics.ts'

/**
 * Why a callback was refused, as the metric counts it: at most 8 reasons, so what is no callback of the channel at all is one.
 * The log line has the exact one. Source: docs/design/metrics.md
 */
export const countedReasons = {
  'missing-header': 'malformed',
  malformed: 'malformed',
  'not-allowed': 'malformed',
  'bad-signature': 'bad-signature',
  'unknown-key': 'unknown-key',
  'out-of-tolerance': 'out-of-tolerance',
  undecryptable: 'undecryptable',
  'not-ours': 'not-ours',
  'no-secret': 'no-secret',
  'too-large': 'too-large',
} as const satisfies Record<RefusalReason | 'no-secret' | 'too-large', string>

/** Counts a refused callback by channel and by reason. */
export function countRefusal(channel: ChannelId, reason: keyof typeof countedReasons): void {
  emitMetric('CallbackRefused', { channel, reason: countedReasons[reason] })
}
