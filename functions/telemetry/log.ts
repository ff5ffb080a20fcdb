import { maskText } from '../core/mask.ts'

/** What a log line may say beside its message: ids and stable codes. Never a body, header, secret or personal detail. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>

type Level = 'INFO' | 'WARN' | 'ERROR'

/** Writes one line of JSON. Straight to stdout: Lambda's patched console would wrap it a second time. */
export function log(level: Level, message: string, fields: LogFields = {}): void {
  process.stdout.write(`${JSON.stringify({ timestamp: new Date().toISOString(), level, message, ...fields })}\n`)
}

/** Name, code and message of an error for a log line. Errors of libraries may quote what they read, so the message is masked. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: 'NonError' }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return { error: error.name, code, detail: maskText(error.message, 300) }
}
