/** Keeps the functions' own log and metric lines out of the test runner's report; tests that look at them listen for themselves. */
const write = process.stdout.write.bind(process.stdout)
const isFunctionLine = (chunk: unknown): boolean =>
  typeof chunk === 'string' && (chunk.startsWith('{"timestamp":') || chunk.startsWith('{"_aws":'))

process.stdout.write = ((chunk: string | Uint8Array, ...rest: []) =>
  isFunctionLine(chunk) ? true : write(chunk, ...rest)) as typeof process.stdout.write
