import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { proveVerified, type VerifiedCallback } from '../channels/channel.ts'
import { parseChannelId } from '../core/ids.ts'
import { parseInstant } from '../core/instant.ts'
import { by, readText } from './message-text.ts'

/** Made when it is first read: ingress only writes, and its bundle has no schema library. */
const makeSchema = () =>
  z.object({
    v: z.literal(1),
    channel: by(parseChannelId),
    receivedAt: by(parseInstant),
    /** Which of our keys matched. */
    keyId: z.string(),
    /** The headers that parsing or an audit needs; names in lower case. */
    headers: z.record(z.string(), z.string()),
    bodyBase64: z.string(),
    /** Hex. */
    bodySha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
    /** Of what was signed, where that is not the body's bytes; hex. */
    identity: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/))),
  })
let schema: ReturnType<typeof makeSchema> | undefined

/** What ingress queues of one verified callback. Source: docs/design/messages.md */
export type CallbackMessage = Readonly<z.output<ReturnType<typeof makeSchema>>>

/** The text that ingress queues. */
export function writeCallbackMessage({ body, identity, ...verified }: VerifiedCallback): string {
  const { channel, receivedAt, keyId, headers } = verified
  const message: CallbackMessage = {
    v: 1,
    channel,
    receivedAt,
    keyId,
    headers: { ...headers },
    bodyBase64: body.toString('base64'),
    bodySha256: createHash('sha256').update(body).digest('hex'),
    ...(identity !== undefined && { identity }),
  }
  return JSON.stringify(message)
}

/**
 * Reads a message of the callback queue. Ingress is its only writer, so what it says was verified is verified; the age of the
 * signature is not judged again.
 * @throws MessageFormatError naming the field
 */
export function readCallbackMessage(text: string): {
  readonly verified: VerifiedCallback
  readonly bodySha256: CallbackMessage['bodySha256']
} {
  schema ??= makeSchema()
  const message: CallbackMessage = readText(schema, text, 'callback')
  const { channel, receivedAt, keyId, headers, bodyBase64, bodySha256, identity } = message
  const body = Buffer.from(bodyBase64, 'base64')
  const facts = { channel, receivedAt, keyId, headers, body, ...(identity !== undefined && { identity }) }
  return { verified: proveVerified(facts), bodySha256 }
}
