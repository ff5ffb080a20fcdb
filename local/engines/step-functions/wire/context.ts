import { parseJson } from '../../../host/template/json.ts'
import { AwsJsonError } from '../../wire/aws-json.ts'
import { isStatesArn } from '../arns.ts'
import type { ExecutionRecord } from '../execution.ts'
import { maxPayloadBytes } from '../limits.ts'
import type { Runner } from '../runner.ts'
import type { MachineRecord, Store } from '../store.ts'

/** What the operations need of the engine. */
export interface WireContext {
  readonly store: Store
  readonly runner: Runner
}

/** @throws AwsJsonError InvalidArn, StateMachineDoesNotExist */
export function requireMachine({ store }: WireContext, arn: string): MachineRecord {
  if (!isStatesArn('stateMachine', arn)) throw new AwsJsonError('InvalidArn', `Invalid Arn: '${arn}'`)
  const machine = store.findMachine(arn.split(':').at(-1) ?? '')
  if (machine !== undefined) return machine
  throw new AwsJsonError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${arn}'`)
}

/** @throws AwsJsonError InvalidArn, ExecutionDoesNotExist */
export function requireExecution({ runner }: WireContext, arn: string): ExecutionRecord {
  if (!isStatesArn('execution', arn)) throw new AwsJsonError('InvalidArn', `Invalid Arn: '${arn}'`)
  const execution = runner.find(arn)
  if (execution !== undefined) return execution
  throw new AwsJsonError('ExecutionDoesNotExist', `Execution Does Not Exist: '${arn}'`)
}

/**
 * Parses JSON that a caller gave as text.
 * @param code of the refusal of text that is not JSON
 * @throws AwsJsonError with that code, or ValidationException above 256 KiB
 */
export function readPayload(text: string, field: string, code: string) {
  if (Buffer.byteLength(text) > maxPayloadBytes) {
    const message = `Value at '${field}' failed to satisfy constraint: at most ${maxPayloadBytes} bytes are allowed.`
    throw new AwsJsonError('ValidationException', message)
  }
  try {
    return parseJson(text)
  } catch (cause) {
    throw new AwsJsonError(code, `Invalid State Machine ${field}: ${String(cause)}`)
  }
}

/** Reads where a page begins. @throws AwsJsonError InvalidToken */
export function readPageToken(token: string | undefined): number | undefined {
  if (token === undefined) return undefined
  const [, place] = /^p(\d+)$/.exec(Buffer.from(token, 'base64url').toString()) ?? []
  if (place === undefined) throw new AwsJsonError('InvalidToken', "Invalid Token: 'nextToken'")
  return Number(place)
}

export const writePageToken = (place: number): string => Buffer.from(`p${place}`).toString('base64url')

/** How many entries a page has: the API reads 0 as "the default". */
export const pageSizeOf = (maxResults: number | undefined): number => maxResults || 100
