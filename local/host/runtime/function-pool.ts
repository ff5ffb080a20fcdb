import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { LeapingClock } from '../clock/leaping-clock.ts'
import type { Json } from '../template/json.ts'
import type { FunctionSpec } from '../template/read-functions.ts'
import { type ExecutionEnvironment, type InvokeResult, startEnvironment } from './execution-environment.ts'

/** One line that a function wrote. */
export interface LogEntry {
  functionName: string
  /** The function's source file, as in the template; empty for a line of the host itself. */
  entry: string
  line: string
}

/** Counters of one function since the start. */
export interface FunctionCounters {
  /** The function's source file, as in the template. */
  entry: string
  invocations: number
  errors: number
  /** Sum of the time spent in the handler, in ms. */
  durationMs: number
}

/** The functions of the stack, ready to be invoked by name. */
export interface FunctionPool {
  /**
   * Runs one event and waits for its end; above the function's concurrency it waits its turn.
   * @throws Error when the stack has no such function
   */
  invoke(functionName: string, event: Json): Promise<InvokeResult>
  /** Starts one worker of each function and waits until all have imported their handler. */
  warm(): Promise<void>
  /** Invocations that run or wait for a worker. */
  inFlight(): number
  counters(): Record<string, FunctionCounters>
  close(): Promise<void>
}

export interface FunctionPoolOptions {
  functions: FunctionSpec[]
  /** Folder that the functions' entries are relative to. */
  rootDir: string
  /** Environment that Lambda adds to each function's own. */
  env: Record<string, string>
  /** Gives each function an access key id of its own, its logical id, by which its calls are told apart. */
  ownAccessKeys?: boolean
  clock: LeapingClock
  /** Most workers of one function, where it reserves no fewer. */
  concurrency: number
  onLog: (entry: LogEntry) => void
  /** Called after each invocation. */
  onBooked: () => void
}

const STOPPED = { errorType: 'Runtime.ExitError', errorMessage: 'The local host was stopped.' }
const THROTTLED = { errorType: 'TooManyRequestsException', errorMessage: 'Rate Exceeded.' }

/** Opens the pool; workers start at a function's first event. */
export function openFunctionPool(options: FunctionPoolOptions): FunctionPool {
  const lanes = new Map(options.functions.map((spec) => [spec.name, openLane(spec, options)]))
  const each = [...lanes.values()]
  return {
    invoke: (functionName, event) => {
      const lane = lanes.get(functionName)
      if (lane === undefined) throw new Error(`The stack has no function ${functionName}.`)
      return lane.invoke(event)
    },
    warm: async () => {
      await Promise.all(each.map((lane) => lane.warm()))
    },
    inFlight: () => each.reduce((sum, lane) => sum + lane.inFlight(), 0),
    counters: () => Object.fromEntries([...lanes].map(([name, lane]) => [name, { ...lane.counters }])),
    close: async () => {
      await Promise.all(each.map((lane) => lane.close()))
    },
  }
}

function openLane(spec: FunctionSpec, options: FunctionPoolOptions) {
  const cap = Math.min(options.concurrency, spec.reservedConcurrency ?? options.concurrency)
  const all = new Set<ExecutionEnvironment>()
  const idle: ExecutionEnvironment[] = []
  const waiting: ((environment: ExecutionEnvironment | undefined) => void)[] = []
  const counters: FunctionCounters = { entry: spec.entry, invocations: 0, errors: 0, durationMs: 0 }
  let inFlight = 0
  let closed = false

  const start = (): ExecutionEnvironment => {
    const environment = startEnvironment({
      settings: {
        entryUrl: pathToFileURL(resolve(options.rootDir, spec.entry)).href,
        exportName: spec.exportName,
        functionName: spec.name,
        functionArn: spec.arn,
        memoryMb: spec.memoryMb,
        clockOffset: options.clock.offset,
      },
      env: {
        ...options.env,
        ...(options.ownAccessKeys === true && { AWS_ACCESS_KEY_ID: spec.logicalId }),
        AWS_LAMBDA_FUNCTION_NAME: spec.name,
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(spec.memoryMb),
        AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
        ...spec.environment,
      },
      onLine: (line) => options.onLog({ functionName: spec.name, entry: spec.entry, line }),
      onGone: () => {
        all.delete(environment)
        const at = idle.indexOf(environment)
        if (at >= 0) idle.splice(at, 1)
        if (!closed && waiting.length > 0) waiting.shift()?.(start())
      },
    })
    all.add(environment)
    return environment
  }
  /** `undefined` when the pool was closed meanwhile. */
  const acquire = async (): Promise<ExecutionEnvironment | undefined> => {
    if (closed) return undefined
    const free = idle.pop()
    if (free !== undefined) return free
    if (all.size < cap) return start()
    return new Promise((resolve) => waiting.push(resolve))
  }
  const release = (environment: ExecutionEnvironment) => {
    if (!all.has(environment)) return
    const next = waiting.shift()
    if (next === undefined) idle.push(environment)
    else next(environment)
  }

  return {
    counters,
    inFlight: () => inFlight,
    invoke: async (event: Json): Promise<InvokeResult> => {
      if (cap === 0) return { ok: false, error: THROTTLED }
      inFlight += 1
      counters.invocations += 1
      try {
        const environment = await acquire()
        if (environment === undefined) return { ok: false, error: STOPPED }
        await environment.started
        const startedAt = performance.now()
        const result = await environment.run(randomUUID(), event, spec.timeoutMs)
        counters.durationMs += performance.now() - startedAt
        if (!result.ok) {
          counters.errors += 1
          options.onLog({
            functionName: spec.name,
            entry: spec.entry,
            line: JSON.stringify({ level: 'ERROR', ...result.error }),
          })
        }
        release(environment)
        return result
      } finally {
        inFlight -= 1
        options.onBooked()
      }
    },
    warm: async () => {
      if (cap === 0 || all.size > 0) return
      const environment = start()
      idle.push(environment)
      await environment.started
    },
    close: async () => {
      closed = true
      for (const next of waiting.splice(0)) next(undefined)
      await Promise.all([...all].map((environment) => environment.close()))
    },
  }
}
