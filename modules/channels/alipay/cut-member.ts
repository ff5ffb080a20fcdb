import { parseJsonObject } from '../json.ts'
import type { AnswerCharset } from './decode-answer.ts'

/**
 * The raw bytes of one member's value in the JSON object `body`: cut out by position, as its signature covers it.
 * Only the outermost level is looked at, so that a member of the same name deeper inside, or inside a string, is not taken.
 * @param charset what the body's text is written in
 * @returns `undefined` when it is not there exactly once, or when `body` is no JSON object
 * Source: docs/channels/alipay.md, Query
 */
export function cutMember(body: Buffer, name: string, charset: AnswerCharset = 'utf-8'): Buffer | undefined {
  const text = asciiOutlineOf(body, charset)
  if (parseJsonObject(Buffer.from(text)) === undefined) return undefined
  const members = [...membersOf(text)].filter((member) => member.name === name)
  const [member] = members
  return member === undefined || members.length > 1 ? undefined : body.subarray(member.start, member.end)
}

/**
 * One character for each byte, in which all that is not ASCII is `?`: positions are those of the bytes. The second byte of a GBK
 * character can be a backslash or a brace, and must not be taken for one.
 */
function asciiOutlineOf(body: Buffer, charset: AnswerCharset): string {
  const outline = Buffer.from(body)
  for (let index = 0; index < outline.length; index += 1) {
    if ((outline[index] ?? 0) < 0x80) continue
    outline[index] = QUESTION_MARK
    // The second byte of four-byte characters is a digit, which does no harm.
    if (charset === 'gbk' && (outline[index + 1] ?? 0) >= 0x40) {
      outline[index + 1] = QUESTION_MARK
      index += 1
    }
  }
  return outline.toString('latin1')
}

const QUESTION_MARK = 0x3f

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs

/** The outermost members of a text that is known to be JSON, each value from its first to its last character. */
function* membersOf(text: string): Generator<{ readonly name: string; readonly start: number; readonly end: number }> {
  let depth = 0
  let name: string | undefined
  let start = -1
  let end = -1
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const closes = token === '}' || token === ']'
    if (closes) depth -= 1
    if (depth === 0 && closes) {
      if (name !== undefined) yield { name, start, end }
      return
    }
    if (depth === 1 && token === ',') {
      if (name !== undefined) yield { name, start, end }
      name = undefined
      start = -1
    } else if (depth === 1 && name === undefined) {
      name = String(JSON.parse(token))
    } else if (depth >= 1 && !(depth === 1 && token === ':' && start === -1)) {
      if (start === -1) start = index
      end = index + token.length
    }
    if (token === '{' || token === '[') depth += 1
  }
}
