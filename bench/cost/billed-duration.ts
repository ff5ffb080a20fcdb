import { median } from '../statistics.ts'
import type { Invocation, Subject } from './recording.ts'

/** A query that finds a payment. */
export const QUERY_AND_SETTLE = 'query and settle'
/** Lambda gives one whole CPU at this memory and a share of one below. Source: Lambda Developer Guide, memory */
const MB_PER_CPU = 1769

/**
 * What a call waits for inside a region, in ms. Assumed: "single-digit milliseconds" for DynamoDB, the rest from common experience;
 * this machine's own waits are those of local engines and of whoever else is busy on it.
 */
export const WAIT_MS: Readonly<Record<string, number>> = {
  GetItem: 4,
  BatchGetItem: 5,
  Query: 5,
  PutItem: 6,
  UpdateItem: 6,
  TransactWriteItems: 15,
  SendMessage: 8,
  CreateSchedule: 25,
  PutEvents: 15,
  PutObject: 30,
}
const OTHER_WAIT_MS = 10
/**
 * What a merchant's endpoint takes to answer a delivery, and a channel a query. Assumed; 100 ms more cost 0.67 USD per million at
 * 512 MB and batch 1.
 */
const WAIT_OUTSIDE_MS: Readonly<Record<string, number>> = { deliver: 100, [QUERY_AND_SETTLE]: 200 }

export type StepOf = (folder: string, subject: Subject) => string

/** A function's usual invocation for one step. */
export interface UsualInvocation {
  /** Wall clock on this machine. */
  readonly measuredMs: number
  readonly cpuMs: number
  /** CPU on the function's share of a CPU, and the waits; records of one batch wait side by side. */
  readonly billedMs: number
}

/**
 * Durations by function and step, as the medians over the run: imports at first use and pauses of a busy machine are no part of
 * the price.
 */
export function usualInvocations(
  invocations: readonly Invocation[],
  stepOf: StepOf,
): ReadonlyMap<string, UsualInvocation> {
  const groups = Map.groupBy(invocations, (invocation) => nameOf(invocation, stepOf))
  return new Map(
    [...groups].map(([name, group]) => {
      const cpuMs = median(group.map((invocation) => invocation.cpuMs))
      const slowdown = Math.max(1, MB_PER_CPU / (group[0]?.memoryMb ?? MB_PER_CPU))
      const waitMs = median(group.map((invocation) => waitOf(invocation, stepOf)))
      const measuredMs = median(group.map(({ durationMs }) => durationMs))
      return [name, { measuredMs, cpuMs, billedMs: Math.ceil(cpuMs * slowdown + waitMs) }]
    }),
  )
}

export function nameOf({ folder, subjects }: Invocation, stepOf: StepOf): string {
  return `${folder} ${subjects[0] === undefined ? '' : stepOf(folder, subjects[0])}`
}

function waitOf({ folder, subjects, calls }: Invocation, stepOf: StepOf): number {
  const inside = calls.reduce((sum, { command, requests }) => sum + requests * (WAIT_MS[command] ?? OTHER_WAIT_MS), 0)
  const outside = subjects.map((subject) => (folder === 'work' ? (WAIT_OUTSIDE_MS[stepOf(folder, subject)] ?? 0) : 0))
  return inside / subjects.length + Math.max(0, ...outside)
}
