import { Worker } from 'node:worker_threads'
import type { Json } from '../template/json.ts'
import { parseJson } from '../template/json.ts'
import type { FunctionError, InvokeMessage, WorkerMessage, WorkerSettings } from './worker-messages.ts'

/** How one invocation ended. */
export type InvokeResult = { ok: true; value: Json } | { ok: false; error: FunctionError }

/** One worker thread that runs one function, one event at a time. */
export interface ExecutionEnvironment {
  /** Resolves when the handler is imported; a failure to import shows at the first `run`. */
  started: Promise<void>
  /** Runs one event. Resolves always; after a time-out or a crash the environment is gone (`onGone` was called). */
  run(requestId: string, event: Json, timeoutMs: number): Promise<InvokeResult>
  close(): Promise<void>
}

export interface EnvironmentOptions {
  settings: WorkerSettings
  env: Record<string, string>
  onLine: (line: string) => void
  /** Called once when the thread can take no more events. */
  onGone: () => void
}

const WORKER_URL = new URL('./worker.ts', import.meta.url)

/** Starts a worker thread; its handler is imported at once. */
export function startEnvironment(options: EnvironmentOptions): ExecutionEnvironment {
  const { settings } = options
  const worker = new Worker(WORKER_URL, {
    env: options.env,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: settings.memoryMb },
    workerData: settings,
    stdout: true,
    stderr: true,
  })
  const started = Promise.withResolvers<void>()
  let current: { requestId: string; settle: (result: InvokeResult) => void } | undefined
  let deadReason: FunctionError | undefined
  let unfinished = ''

  const end = (result: InvokeResult) => {
    const running = current
    current = undefined
    running?.settle(result)
  }
  const die = (reason: FunctionError) => {
    if (deadReason !== undefined) return
    deadReason = reason
    if (unfinished !== '') options.onLine(unfinished)
    started.resolve()
    options.onGone()
    end({ ok: false, error: reason })
    void worker.terminate()
  }
  const takeText = (text: string) => {
    const lines = (unfinished + text).split('\n')
    unfinished = lines.pop() ?? ''
    for (const line of lines) options.onLine(line)
  }
  worker.stdout.setEncoding('utf8').on('data', takeText)
  worker.stderr.setEncoding('utf8').on('data', takeText)
  worker.on('message', (message: WorkerMessage) => {
    if (message.type === 'ready') started.resolve()
    if (message.type === 'initFailed') die(message.error)
    if (message.type === 'log') takeText(message.text)
    if (message.type === 'done' && current?.requestId === message.requestId) {
      end({ ok: true, value: parseJson(message.result) })
    }
    if (message.type === 'failed' && current?.requestId === message.requestId) {
      end({ ok: false, error: message.error })
    }
  })
  worker.on('error', (thrown) => die(describeCrash(thrown)))
  worker.on('exit', (code) => die({ errorType: 'Runtime.ExitError', errorMessage: exitText(current?.requestId, code) }))

  return {
    started: started.promise,
    run: async (requestId, event, timeoutMs) => {
      await started.promise
      if (deadReason !== undefined) return { ok: false, error: deadReason }
      return new Promise((resolve) => {
        const seconds = (timeoutMs / 1_000).toFixed(2)
        const timer = setTimeout(() => {
          const errorMessage = `${new Date().toISOString()} ${requestId} Task timed out after ${seconds} seconds`
          die({ errorType: 'Sandbox.Timedout', errorMessage })
        }, timeoutMs)
        current = {
          requestId,
          settle: (result) => {
            clearTimeout(timer)
            resolve(result)
          },
        }
        const message: InvokeMessage = { requestId, event: JSON.stringify(event), timeoutMs }
        worker.postMessage(message)
      })
    },
    close: async () => {
      deadReason ??= { errorType: 'Runtime.ExitError', errorMessage: 'The local host was stopped.' }
      started.resolve()
      await worker.terminate()
      end({ ok: false, error: deadReason })
    },
  }
}

function exitText(requestId: string | undefined, code: number): string {
  return `RequestId: ${requestId ?? 'none'} Error: Runtime exited with error: exit status ${code}`
}

function describeCrash(thrown: unknown): FunctionError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  const code = 'code' in error ? error.code : undefined
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return { errorType: 'Runtime.OutOfMemory', errorMessage: 'Runtime exited with error: signal: killed' }
  }
  return {
    errorType: 'Runtime.UnhandledPromiseRejection',
    errorMessage: `${error.name}: ${error.message}`,
    trace: (error.stack ?? '').split('\n'),
  }
}
