import { openAlarm } from '../clock/alarm.ts'
import type { Clock } from '../clock/clock.ts'
import { type Json, parseJson } from '../template/json.ts'
import type { FunctionSpec } from '../template/read-functions.ts'
import type { FunctionPool, LogEntry } from './function-pool.ts'
import type { AsyncEvent, HostState } from './host-state.ts'

/** Lambda's wait before the first and the second retry of an asynchronous event. */
const RETRY_WAITS_MS = [60_000, 120_000]

/** Events that services hand to functions without waiting: kept until handled, retried as Lambda does. */
export interface AsyncInvoker {
  /** Accepts an event; it is on disk when this returns. @throws Error when the stack has no such function */
  enqueue(functionName: string, payload: Json): void
  /** Accepted events that run now. */
  running(): number
  nextDueAt(): number | undefined
  close(): void
}

export interface AsyncInvokerOptions {
  functions: FunctionSpec[]
  pool: FunctionPool
  state: HostState
  clock: Clock
  /** Sends what failed for good to the function's failure destination. */
  sendFailure: (destinationArn: string, record: Json) => Promise<void>
  onLog: (entry: LogEntry) => void
}

/** Opens the invoker and takes up what was accepted before the last stop. */
export function openAsyncInvoker(options: AsyncInvokerOptions): AsyncInvoker {
  const { clock, state } = options
  const specs = new Map(options.functions.map((spec) => [spec.name, spec]))
  const waiting = new Map<AsyncEvent, number>(state.events().map((event) => [event, clock.now()]))
  let running = 0
  let closed = false

  const nextDueAt = () => (waiting.size === 0 ? undefined : Math.min(...waiting.values()))
  const runDue = () => {
    for (const [event, dueAt] of waiting) {
      if (dueAt > clock.now()) continue
      waiting.delete(event)
      running += 1
      void run(event).finally(() => {
        running -= 1
        alarm.rearm()
      })
    }
  }
  const run = async (event: AsyncEvent): Promise<void> => {
    const spec = specs.get(event.functionName)
    if (spec === undefined) {
      options.onLog({
        functionName: event.functionName,
        entry: '',
        line: 'The stack has no such function any more: event dropped.',
      })
      return state.removeEvent(event.id)
    }
    const payload = parseJson(event.payload)
    const result = await options.pool.invoke(event.functionName, payload)
    // Cut off by the stop of the host: the event stays, and runs again at the next start.
    if (closed) return
    if (result.ok) return state.removeEvent(event.id)
    const { maxRetries, maxAgeMs, onFailureArn } = spec.asyncInvoke
    const dueAt = clock.now() + (RETRY_WAITS_MS[event.attempts] ?? RETRY_WAITS_MS.at(-1) ?? 0)
    if (event.attempts < maxRetries && dueAt - event.createdAt <= maxAgeMs) {
      state.countAttempt(event.id)
      waiting.set({ ...event, attempts: event.attempts + 1 }, dueAt)
      return
    }
    if (onFailureArn !== undefined) {
      await options.sendFailure(onFailureArn, describeFailure(spec, event, payload, result.error, clock.now()))
    }
    state.removeEvent(event.id)
  }
  const alarm = openAlarm(clock, nextDueAt, runDue)

  return {
    enqueue: (functionName, payload) => {
      if (!specs.has(functionName)) throw new Error(`The stack has no function ${functionName}.`)
      const event = state.addEvent({ functionName, payload: JSON.stringify(payload), createdAt: clock.now() })
      waiting.set(event, event.createdAt)
      runDue()
    },
    running: () => running,
    nextDueAt,
    close: () => {
      closed = true
      alarm.close()
    },
  }
}

/** The record that Lambda sends to a failure destination. */
function describeFailure(
  spec: FunctionSpec,
  event: AsyncEvent,
  payload: Json,
  error: { errorType: string; errorMessage: string },
  now: number,
): Json {
  return {
    version: '1.0',
    timestamp: new Date(now).toISOString(),
    requestContext: {
      functionArn: `${spec.arn}:$LATEST`,
      condition: 'RetriesExhausted',
      approximateInvokeCount: event.attempts + 1,
    },
    requestPayload: payload,
    responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    responsePayload: { errorType: error.errorType, errorMessage: error.errorMessage },
  }
}
