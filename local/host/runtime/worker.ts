import { parentPort, workerData } from 'node:worker_threads'
import { shiftDate } from '../clock/shift-date.ts'
import type { InvokeMessage, WorkerMessage, WorkerSettings } from './worker-messages.ts'
import { toFunctionError } from './worker-messages.ts'

// The entry of one worker thread: one Lambda execution environment, one event at a time.

type Handler = (event: unknown, context: object) => unknown

const settings: WorkerSettings = workerData
shiftDate(settings.clockOffset)
sendOutputToHost()
const handler = await loadHandler()
if (handler !== undefined) {
  parentPort?.on('message', (message: InvokeMessage) => runHandler(handler, message))
  post({ type: 'ready' })
}

function post(message: WorkerMessage): void {
  parentPort?.postMessage(message)
}

/** Through the same port as the results, so that a line never arrives after the answer that followed it. */
function sendOutputToHost(): void {
  const write = (chunk: string | Uint8Array): boolean => {
    post({ type: 'log', text: typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8') })
    return true
  }
  for (const stream of [process.stdout, process.stderr]) {
    stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
      const done = rest.find((argument) => typeof argument === 'function')
      if (done !== undefined) queueMicrotask(() => done())
      return write(chunk)
    }
  }
}

async function loadHandler(): Promise<Handler | undefined> {
  try {
    const module: Record<string, unknown> = await import(settings.entryUrl)
    const found = module[settings.exportName]
    if (typeof found === 'function') return (event, context) => found(event, context)
    const errorMessage = `${settings.exportName} is undefined or not exported`
    post({ type: 'initFailed', error: { errorType: 'Runtime.HandlerNotFound', errorMessage } })
  } catch (thrown) {
    post({ type: 'initFailed', error: toFunctionError(thrown) })
  }
  return undefined
}

async function runHandler(handler: Handler, { requestId, event, timeoutMs }: InvokeMessage): Promise<void> {
  const startedAt = performance.now()
  const context = {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: true,
    functionName: settings.functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: settings.functionArn,
    logGroupName: `/aws/lambda/${settings.functionName}`,
    logStreamName: 'local',
    memoryLimitInMB: String(settings.memoryMb),
    getRemainingTimeInMillis: () => Math.max(0, Math.floor(timeoutMs - (performance.now() - startedAt))),
  }
  try {
    const result = await handler(JSON.parse(event), context)
    post({ type: 'done', requestId, result: JSON.stringify(result) ?? 'null' })
  } catch (thrown) {
    post({ type: 'failed', requestId, error: toFunctionError(thrown) })
  }
}
