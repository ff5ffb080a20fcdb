import { parseJsonObject } from '../json.ts'

/**
 * The raw text of one member's value in the JSON object `text`: cut out by position, as its signature covers it.
 * Only the outermost level is looked at, so that a member of the same name deeper inside, or inside a string, is not taken.
 * @returns `undefined` when it is not there exactly once, or when `text` is no JSON object
 * Source: docs/channels/alipay.md, Query
 */
export function cutMember(text: string, name: string): string | undefined {
  if (parseJsonObject(Buffer.from(text)) === undefined) return undefined
  const values = [...membersOf(text)].filter((member) => member.name === name)
  return values.length === 1 ? values[0]?.value : undefined
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs

/** The outermost members of a text that is known to be JSON, each value from its first to its last character. */
function* membersOf(text: string): Generator<{ readonly name: string; readonly value: string }> {
  let depth = 0
  let name: string | undefined
  let start = -1
  let end = -1
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const closes = token === '}' || token === ']'
    if (closes) depth -= 1
    if (depth === 0 && closes) {
      if (name !== undefined) yield { name, value: text.slice(start, end) }
      return
    }
    if (depth === 1 && token === ',') {
      if (name !== undefined) yield { name, value: text.slice(start, end) }
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
