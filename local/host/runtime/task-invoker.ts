import type { Invoke, TaskAnswer } from '../../engines/step-functions/invoke.ts'
import type { FunctionSpec } from '../template/read-functions.ts'
import { functionNameOf } from '../template/read-mappings.ts'
import type { FunctionPool } from './function-pool.ts'

/** Calls functions for state machines, which wait for the answer. */
export interface TaskInvoker {
  invoke: Invoke
  /** From here on no answer is given: what the stop of the host cuts off runs again at the next start. */
  close(): void
}

/** Opens the calls of `lambda:invoke` to the functions of the stack. */
export function openTaskInvoker(functions: readonly FunctionSpec[], pool: Pick<FunctionPool, 'invoke'>): TaskInvoker {
  const names = new Set(functions.map(({ name }) => name))
  let closed = false

  const call: Invoke = async ({ functionName, payload }) => {
    const name = functionName.startsWith('arn:') ? functionNameOf(functionName) : functionName
    if (!names.has(name)) {
      const cause = `Function not found: ${functionName}`
      return { ok: false, error: 'Lambda.ResourceNotFoundException', cause }
    }
    const result = await pool.invoke(name, payload)
    if (result.ok) return { ok: true, value: { ExecutedVersion: '$LATEST', Payload: result.value, StatusCode: 200 } }
    return failureOf(result.error)
  }
  return {
    invoke: async (request) => {
      const answer = await call(request)
      return closed ? new Promise<TaskAnswer>(() => {}) : answer
    },
    close: () => {
      closed = true
    },
  }
}

/** An error of the function keeps its name; throttling is one of the service. */
function failureOf(error: { errorType: string; errorMessage: string; trace?: string[] }): TaskAnswer {
  if (error.errorType === 'TooManyRequestsException') {
    return { ok: false, error: 'Lambda.TooManyRequestsException', cause: error.errorMessage }
  }
  return { ok: false, error: error.errorType, cause: JSON.stringify(error) }
}
