/** What a worker is given once, at its start. */
export interface WorkerSettings {
  entryUrl: string
  exportName: string
  functionName: string
  functionArn: string
  memoryMb: number
  clockOffset: SharedArrayBuffer
}

/** One event for a worker. Events and results travel as JSON text, as they do on Lambda. */
export interface InvokeMessage {
  requestId: string
  event: string
  timeoutMs: number
}

/** A function error in the shape that Lambda reports. */
export interface FunctionError {
  errorType: string
  errorMessage: string
  trace?: string[]
}

/** What a worker says. */
export type WorkerMessage =
  | { type: 'ready' }
  | { type: 'initFailed'; error: FunctionError }
  | { type: 'log'; text: string }
  | { type: 'done'; requestId: string; result: string }
  | { type: 'failed'; requestId: string; error: FunctionError }

/** An error in the shape that Lambda's Node runtime gives it. */
export function toFunctionError(thrown: unknown): FunctionError {
  if (!(thrown instanceof Error)) return { errorType: typeof thrown, errorMessage: String(thrown), trace: [] }
  return { errorType: thrown.name, errorMessage: thrown.message, trace: (thrown.stack ?? '').split('\n') }
}
