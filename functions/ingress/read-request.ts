import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { CallbackRequest } from '../../modules/channels/channel.ts'

/** A message of base64 and headers stays under 256 KiB with a body of this many bytes. Source: docs/design/messages.md */
export const MAX_BODY_BYTES = 192 * 1024

/**
 * The request as it was sent: header names in lower case whatever the gateway made of them, and the body's very bytes.
 * @returns `tooLarge` before anything is decoded
 * Source: docs/channels/README.md, Checks of a callback
 */
export function readRequest(
  event: Pick<APIGatewayProxyEventV2, 'headers' | 'body' | 'isBase64Encoded'> & {
    readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>>
  },
): CallbackRequest | 'tooLarge' {
  const text = event.body ?? ''
  const encoding = event.isBase64Encoded ? 'base64' : 'utf8'
  if (Buffer.byteLength(text, encoding) > MAX_BODY_BYTES) return 'tooLarge'
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(event.headers ?? {})) {
    const key = name.toLowerCase()
    // Two spellings of one name are a repeated header: both are kept, as HTTP joins them, and none wins by its place.
    if (value !== undefined) headers[key] = headers[key] === undefined ? value : `${headers[key]},${value}`
  }
  // Every value that was sent, so that a repeated signature header is seen as such and none wins by its place.
  for (const [name, values] of Object.entries(event.multiValueHeaders ?? {})) {
    if (values !== undefined) headers[name.toLowerCase()] = values.join(',')
  }
  return { headers, body: Buffer.from(text, encoding) }
}
