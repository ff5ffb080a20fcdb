/** Fen as yuan with two decimals: 8800 is "88.00". */
export function formatYuan(fen: number): string {
  const digits = String(fen).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Yuan with at most two decimals as fen, or `undefined`. */
export function parseYuan(text: unknown): number | undefined {
  const match = typeof text === 'string' ? /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(text) : null
  return match === null ? undefined : Number(`${match[1]}${(match[2] ?? '').padEnd(2, '0')}`)
}
