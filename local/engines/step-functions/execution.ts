import type { Json, JsonObject } from '../../host/template/json.ts'
import type { Failure, FailureText } from './errors.ts'

export const executionStatuses = ['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED'] as const
export type ExecutionStatus = (typeof executionStatuses)[number]

/** One execution as it stands on disk; instants in ms since the epoch. */
export interface ExecutionRecord {
  readonly id: number
  readonly arn: string
  readonly machine: string
  readonly name: string
  /** It keeps the definition that it was started with. */
  readonly definition: string
  /** JSON text as it was given. */
  readonly input: string
  readonly startedAt: number
  status: ExecutionStatus
  /** JSON text */
  output: string | undefined
  failure: FailureText | undefined
  stoppedAt: number | undefined
  /** Number of the newest history event. */
  events: number
}

/**
 * Where a branch stands within its state. What was reached is on disk before anything follows from it, so a restart
 * goes on from here: it calls again what was not answered, and thinks again about what was.
 */
export type Phase =
  /** An iteration of a Map, before its input is selected. */
  | { readonly kind: 'selecting' }
  | { readonly kind: 'entered' }
  /** A task under way: until `isSubmitted` the function has not answered, after that only the token is waited for. */
  | {
      readonly kind: 'attempt'
      readonly token: string | undefined
      readonly deadline: number | undefined
      readonly isSubmitted: boolean
    }
  | { readonly kind: 'pause'; readonly until: number }
  | { readonly kind: 'map'; readonly items: readonly Json[] }
  | { readonly kind: 'succeeded'; readonly result: Json }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** The end of an iteration whose Map goes on. */
  | { readonly kind: 'done'; readonly output: Json }

/** A line of states: 0 is the machine's own, n the (n-1)th iteration of its present Map. */
export interface Branch {
  readonly index: number
  state: string
  input: Json
  variables: JsonObject
  enteredAt: number
  /** Retries made in this state, by the place of the retrier. */
  used: number[]
  phase: Phase
  lastEvent: number
}

/** When the phase ends by itself. */
export function dueAtOf({ phase }: Branch): number | undefined {
  if (phase.kind === 'attempt') return phase.deadline
  return phase.kind === 'pause' ? phase.until : undefined
}

/** Whether something is being done about a branch now, rather than waited for. */
export function isActive({ phase }: Branch): boolean {
  if (phase.kind === 'attempt') return !phase.isSubmitted
  return !['pause', 'map', 'done'].includes(phase.kind)
}
