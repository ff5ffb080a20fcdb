/** The parser's value. @throws Error when a benchmark builds a value that its parser refuses: a bug in the benchmark */
export function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('A benchmark built a value that its parser refuses.')
  return value
}
