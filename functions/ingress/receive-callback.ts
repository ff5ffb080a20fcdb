import type { ChannelAccount } from '../../modules/channels/account.ts'
import type { CallbackRequest, ChannelAnswer, Verification } from '../../modules/channels/channel.ts'
import type { Instant } from '../../modules/core/instant.ts'
import { writeCallbackMessage } from '../../modules/queues/callback-message.ts'
import { SecretMissingError } from '../../modules/runtime/secrets/secret-texts.ts'
import { errorFields, log } from '../../modules/runtime/telemetry/log.ts'
import { emitMetric } from '../../modules/runtime/telemetry/metrics.ts'
import { countRefusal } from './count-refusal.ts'

/** One configured channel as ingress needs it. */
export interface IngressChannel {
  readonly account: ChannelAccount
  readonly ack: ChannelAnswer
  readonly refusal: ChannelAnswer
  /** Verifies with the keys in force. @throws SecretMissingError, KeyFormatError */
  verify(request: CallbackRequest, receivedAt: Instant): Promise<Verification>
  /** Verifies with keys fetched anew; `undefined` when there are none newer or it is too early to ask. */
  verifyAfresh(request: CallbackRequest, receivedAt: Instant): Promise<Verification | undefined>
}

/** The queue or Secrets Manager did not take part: the channel shall send again. */
const UNAVAILABLE: ChannelAnswer = { status: 503, headers: {}, body: '' }

/**
 * Verify, queue, acknowledge: nothing else happens in the request. The positive answer is given if and only if SQS has the message.
 * @param send tells the id that the queue gave the message: settle's line has it too, beside the order that ingress does not know
 * Source: docs/design/flows.md, Callback
 */
export async function receiveCallback(
  request: CallbackRequest,
  channel: IngressChannel,
  send: (message: string) => Promise<string | undefined>,
  receivedAt: Instant,
): Promise<ChannelAnswer> {
  const { id } = channel.account
  try {
    const verification = await verifyOnceMore(request, channel, receivedAt)
    if (!verification.ok) return refuse(channel, verification)
    const messageId = await send(writeCallbackMessage(verification.verified))
    emitMetric('CallbackAccepted', { channel: id, messageId })
    return channel.ack
  } catch (error) {
    log('ERROR', 'A callback could not be taken; the channel will send it again.', {
      channel: id,
      ...errorFields(error),
    })
    if (error instanceof SecretMissingError) countRefusal(id, 'no-secret')
    return UNAVAILABLE
  }
}

/** A wrong signature may be one by a key that was rotated a moment ago. */
async function verifyOnceMore(
  request: CallbackRequest,
  channel: IngressChannel,
  receivedAt: Instant,
): Promise<Verification> {
  const first = await channel.verify(request, receivedAt)
  if (first.ok || first.probe === true || !KEY_REASONS.has(first.reason)) return first
  return (await channel.verifyAfresh(request, receivedAt)) ?? first
}

const KEY_REASONS: ReadonlySet<string> = new Set(['bad-signature', 'unknown-key', 'undecryptable'])

function refuse(channel: IngressChannel, refused: Extract<Verification, { ok: false }>): ChannelAnswer {
  const { reason, probe, keyName, code } = refused
  if (probe === true) return channel.refusal
  countRefusal(channel.account.id, reason)
  log('WARN', 'A callback was refused.', {
    channel: channel.account.id,
    reason,
    ...(keyName !== undefined && { keyName }),
    ...(code !== undefined && { code }),
  })
  return channel.refusal
}
