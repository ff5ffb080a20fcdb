import type { HttpAnswer } from '../../outgoing/http/send-request.ts'
import { type JsonObject, parseJsonObject } from '../json.ts'

/** What the gateway writes: the request's UTF-8, and GBK for accounts and faults that know no other. */
export type AnswerCharset = 'utf-8' | 'gbk'

const GBK = /charset\s*=\s*"?(?:gbk|gb2312|gb18030)\b/i
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
// GB18030 is GBK and what was added to it later.
const gbk = new TextDecoder('gb18030', { fatal: true })

/**
 * The charset of an answer: the one that it names, else UTF-8 as we asked for, else GBK where its bytes are no UTF-8.
 * Source: docs/channels/alipay.md, Query
 */
export function charsetOf({ headers, body }: Pick<HttpAnswer, 'headers' | 'body'>): AnswerCharset {
  if (GBK.test(headers['content-type'] ?? '')) return 'gbk'
  return decode(utf8, body) === undefined ? 'gbk' : 'utf-8'
}

/** The JSON object that the bytes are in that charset, or `undefined`. */
export function parseAnswer(bytes: Buffer, charset: AnswerCharset): JsonObject | undefined {
  const text = decode(charset === 'gbk' ? gbk : utf8, bytes)
  return text === undefined ? undefined : parseJsonObject(Buffer.from(text))
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined // not in this charset
  }
}
