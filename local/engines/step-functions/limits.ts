import type { Json } from '../../host/template/json.ts'
import { StateError } from './errors.ts'

// Source: Step Functions guide, "Service quotas"
/** Input, output and result of a state, and one variable. */
export const maxPayloadBytes = 262_144
/** All variables of an execution. */
export const maxVariablesBytes = 10_485_760
/** Events of a Standard execution; the last one says how it ended. */
export const maxHistoryEvents = 25_000
/** An inline Map runs no more iterations at the same time. */
export const maxMapConcurrency = 40
/** A closed execution is kept, and its name taken, for 90 days. */
export const keptAfterCloseMs = 90 * 86_400_000
export const maxErrorLength = 256
export const maxCauseLength = 32_768

/**
 * Lets a value pass that is small enough to travel between states.
 * @throws StateError States.DataLimitExceeded above 256 KiB of JSON
 */
export function checkPayload(what: string, value: Json): Json {
  if (Buffer.byteLength(JSON.stringify(value)) <= maxPayloadBytes) return value
  throw new StateError('States.DataLimitExceeded', `${what} is larger than ${maxPayloadBytes} bytes.`)
}
