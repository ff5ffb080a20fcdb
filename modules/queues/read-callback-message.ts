import * as z from 'zod/mini'
import { proveVerified, type VerifiedCallback } from '../channels/channel.ts'
import { parseChannelId } from '../core/ids.ts'
import { parseInstant } from '../core/instant.ts'

const message = z.object({
  v: z.literal(1),
  channel: z.string(),
  receivedAt: z.string(),
  keyId: z.string(),
  headers: z.record(z.string(), z.string()),
  bodyBase64: z.string(),
  bodySha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
})

/** A message in the callback queue that ingress did not write, or of another version. It goes to the DLQ, and from there on record. */
export class MessageFormatError extends Error {
  override readonly name = 'MessageFormatError'
  readonly code = 'MESSAGE_FORMAT'
}

/**
 * Reads a message of the callback queue. Ingress is its only writer, so what it says was verified is verified; the age of the
 * signature is not judged again.
 * @throws MessageFormatError naming the field
 */
export function readMessage(body: string): { readonly verified: VerifiedCallback; readonly bodySha256: string } {
  const parsed = z.safeParse(message, parseJson(body))
  if (!parsed.success) throw unfit(parsed.error.issues[0]?.path.join('.') ?? 'body')
  const { data } = parsed
  const channel = parseChannelId(data.channel)
  const receivedAt = parseInstant(data.receivedAt)
  if (channel === undefined) throw unfit('channel')
  if (receivedAt === undefined) throw unfit('receivedAt')
  const { keyId, headers, bodySha256 } = data
  const bytes = Buffer.from(data.bodyBase64, 'base64')
  return { verified: proveVerified({ channel, receivedAt, keyId, headers, body: bytes }), bodySha256 }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new MessageFormatError('A message of the callback queue is no JSON. Look for another writer of the queue.', {
      cause,
    })
  }
}

function unfit(field: string): MessageFormatError {
  return new MessageFormatError(
    `A message of the callback queue has a wrong '${field}'. Look for another writer of the queue.`,
  )
}
