import { AsyncLocalStorage } from 'node:async_hooks'
import { maskText } from '../../core/mask.ts'

/** What a log line may say beside its message: ids and stable codes. Never a body, header, secret or personal detail. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>

type Level = 'INFO' | 'WARN' | 'ERROR'

/** What is known so far of the record at hand; records of one batch are handled side by side, each with its own. */
const known = new AsyncLocalStorage<{ fields: LogFields }>()

/** Runs `work` so that its lines, however deep they are written, carry what `addLogFields` adds meanwhile. */
export function withLogFields<T>(work: () => Promise<T>): Promise<T> {
  return known.run({ fields: {} }, work)
}

/** Adds to every further line about the record at hand: the ids by which one payment is followed through all functions. */
export function addLogFields(fields: LogFields): void {
  const record = known.getStore()
  if (record !== undefined) record.fields = { ...record.fields, ...fields }
}

/** What the lines about the record at hand carry. */
export function logFields(): LogFields {
  return known.getStore()?.fields ?? {}
}

/** Of the invocation at hand; Lambda gives an environment one at a time. */
let invocation: LogFields = {}

/** What error lines say of the invocation from now on. */
export function beginInvocation(fields: { readonly requestId: string; readonly coldStart: boolean }): void {
  invocation = fields
}

/**
 * Writes one line of JSON, an error with its invocation. Straight to stdout: Lambda's patched console would wrap it again.
 */
export function log(level: Level, message: string, fields: LogFields = {}): void {
  writeLine({
    timestamp: new Date().toISOString(),
    level,
    message,
    ...(level === 'ERROR' && invocation),
    ...logFields(),
    ...fields,
  })
}

export function writeLine(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

const TOP_FRAMES = 3
/** `at settleOne (file:///var/task/index.mjs:3:1412)`: function, line and column, by which a source map finds the place. */
const FRAME = /^\s+at .*$/gm

/**
 * Name, code, message and top frames of an error for a log line. Errors of libraries may quote what they read, so message and
 * frames are masked; the message's own lines never count as frames.
 */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: 'NonError' }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return { error: error.name, code, detail: maskText(error.message, 300), stack: topFrames(error) }
}

function topFrames({ stack = '', message }: Error): string | undefined {
  const frames = stack.slice(stack.indexOf(message) + message.length).match(FRAME)
  if (frames === null) return undefined
  return frames
    .slice(0, TOP_FRAMES)
    .map((frame) => maskText(frame.trim().slice('at '.length), 200))
    .join(' < ')
}
