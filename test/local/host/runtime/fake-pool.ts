import type { FunctionPool } from '../../../../local/host/runtime/function-pool.ts'
import type { Json } from '../../../../local/host/template/json.ts'

/** A pool whose one function is a closure; an Error as its answer is a function error. */
export function fakePool(answer: (event: Json) => Json | Error): FunctionPool & { events: Json[] } {
  const events: Json[] = []
  return {
    events,
    invoke: async (_functionName, event) => {
      events.push(event)
      const value = answer(event)
      if (!(value instanceof Error)) return { ok: true, value }
      return { ok: false, error: { errorType: value.name, errorMessage: value.message } }
    },
    warm: async () => {},
    inFlight: () => 0,
    counters: () => ({}),
    close: async () => {},
  }
}
