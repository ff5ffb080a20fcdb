/** Keeps the functions' own log and metric lines out of the test runner's report; tests that look at them listen for themselves. */
const write = process.stdout.write.bind(process.stdout)
/** A log line, or a metric, which may be one and the same. */
const FUNCTION_LINE = /^\{"(timestamp|level|_aws)":/
const isFunctionLine = (chunk: unknown): boolean => typeof chunk === 'string' && FUNCTION_LINE.test(chunk)

process.stdout.write = ((chunk: string | Uint8Array, ...rest: []) =>
  isFunctionLine(chunk) ? true : write(chunk, ...rest)) as typeof process.stdout.write
