let table: ReadonlyMap<string, number> | undefined

/**
 * A text as GBK bytes; what GBK lacks becomes a question mark, as Alipay does it. Node reads GBK but does not write it, so the
 * decoder is turned round once.
 */
export function encodeGbk(text: string): Buffer {
  table ??= readTable()
  const bytes: number[] = []
  for (const character of text) {
    const code = character.charCodeAt(0)
    const pair = code < 0x80 ? code : (table.get(character) ?? 0x3f)
    if (pair > 0xff) bytes.push(pair >> 8)
    bytes.push(pair & 0xff)
  }
  return Buffer.from(bytes)
}

function readTable(): ReadonlyMap<string, number> {
  const decoder = new TextDecoder('gbk')
  const pairs = new Map<string, number>()
  for (let lead = 0x81; lead <= 0xfe; lead += 1) {
    for (let trail = 0x40; trail <= 0xfe; trail += 1) {
      const character = trail === 0x7f ? '' : decoder.decode(Uint8Array.of(lead, trail))
      if (character.length === 1 && character !== '\ufffd') pairs.set(character, (lead << 8) | trail)
    }
  }
  return pairs
}
