import type { Ladder } from './back-off.ts'

export const taskTypes = [
  'QUERY_PAYMENT',
  'CLOSE_ORDER',
  'CLOSE_ATTEMPT',
  'DELIVER',
  'REFUND',
  'QUERY_REFUND',
  'SETTLE_CALLBACK',
  'NOTIFY',
  'VERIFY_STATUS',
  'SETTLEMENT_WRITEBACK',
  'RELEASE_STOCK',
  'REVIEW',
  'START_EXECUTION',
  'RESUME_EXECUTION',
  'FETCH_BILL',
] as const

export type TaskType = (typeof taskTypes)[number]

/** How a kind of task is carried out. Times in ms. */
export interface TaskPolicy {
  /** Whose queue and gate: the order's channel, the merchant's endpoint, or work inside our own account. */
  readonly lane: 'channel' | 'merchant' | 'internal'
  readonly ladder: Ladder
  /** From the first due moment, parked time added; judged only after a real attempt. */
  readonly totalMs: number
  /** How long a claim holds; the next worker may take over after it, asking first. */
  readonly leaseMs: number
  /** Takes `order.activeTask`, so that two effects on one order never overlap. */
  readonly effect: boolean
  /** Where an exhausted ladder leads: a person, or (only where a replay exists) a closed row. */
  readonly exhausted: 'MANUAL' | 'CLOSED'
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const minutes = (...steps: number[]): readonly number[] => steps.map((step) => step * MINUTE)

const usual = { kind: 'steps', stepsMs: minutes(1, 3, 10, 30, 60) } as const
const base = { lane: 'internal', totalMs: 6 * HOUR, leaseMs: 120 * SECOND, effect: false, exhausted: 'MANUAL' } as const

/**
 * The defaults of every task type; `infra/config.ts` overrides them per type and channel, checked at synth.
 * Source: docs/design/task-types.md
 */
export const taskPolicies: { readonly [Type in TaskType]: TaskPolicy } = {
  QUERY_PAYMENT: {
    ...base,
    lane: 'channel',
    ladder: {
      kind: 'steps',
      stepsMs: [5 * SECOND, 30 * SECOND, 2 * MINUTE, MINUTE, 3 * MINUTE, 10 * MINUTE],
      thenEveryMs: 10 * MINUTE,
    },
    totalMs: 3 * DAY,
  },
  CLOSE_ORDER: {
    ...base,
    ladder: { kind: 'steps', stepsMs: minutes(1, 2, 5, 10), thenEveryMs: 10 * MINUTE },
    totalMs: 2 * HOUR,
    effect: true,
  },
  CLOSE_ATTEMPT: { ...base, lane: 'channel', ladder: usual, effect: true },
  DELIVER: { ...base, lane: 'merchant', ladder: usual, effect: true },
  REFUND: { ...base, lane: 'channel', ladder: usual, effect: true },
  QUERY_REFUND: {
    ...base,
    lane: 'channel',
    ladder: {
      kind: 'steps',
      stepsMs: [...minutes(1, 1, 1, 1, 1, 5, 10, 20, 30), ...Array<number>(23).fill(HOUR)],
      thenEveryMs: 6 * HOUR,
    },
    totalMs: 7 * DAY,
  },
  SETTLE_CALLBACK: {
    ...base,
    ladder: { kind: 'steps', stepsMs: [1, 2, 4, 8, 16, 32].map((s) => s * SECOND), thenEveryMs: MINUTE },
    totalMs: 30 * MINUTE,
  },
  NOTIFY: {
    ...base,
    lane: 'merchant',
    ladder: { kind: 'steps', stepsMs: minutes(1, 3, 10, 30, 60), thenEveryMs: HOUR },
    totalMs: DAY,
    exhausted: 'CLOSED',
  },
  VERIFY_STATUS: { ...base, lane: 'channel', ladder: usual },
  SETTLEMENT_WRITEBACK: { ...base, ladder: { kind: 'steps', stepsMs: minutes(1, 3, 10) }, totalMs: HOUR },
  RELEASE_STOCK: { ...base, ladder: { kind: 'steps', stepsMs: minutes(1, 3, 10) }, totalMs: HOUR },
  REVIEW: { ...base, ladder: { kind: 'steps', stepsMs: [] }, totalMs: 0 },
  START_EXECUTION: { ...base, ladder: usual },
  RESUME_EXECUTION: { ...base, ladder: usual },
  FETCH_BILL: {
    ...base,
    lane: 'channel',
    ladder: { kind: 'steps', stepsMs: [], thenEveryMs: 30 * MINUTE },
    totalMs: DAY,
  },
}

/** After this much of a CLOSE_ORDER's execution no further payAttempt is begun; the next execution goes on. */
export const CLOSE_BUDGET_MS = 3 * SECOND

/** Overrides by type, or by `type/channel`, of the fields that a merchant may set. */
export type PolicyOverrides = Readonly<
  Record<string, Partial<Pick<TaskPolicy, 'ladder' | 'totalMs' | 'leaseMs' | 'exhausted'>>>
>

/** The policies in force. */
export interface Policies {
  /** @param channel of the task, whose overrides come last */
  of(type: TaskType, channel?: string): TaskPolicy
}

/** The default policies with a merchant's overrides. */
export function bindPolicies(overrides: PolicyOverrides): Policies {
  return { of: (type, channel) => policyOf(type, channel, overrides) }
}

/** The policy in force: default, then the type's override, then the channel's. */
export function policyOf(type: TaskType, channel: string | undefined, overrides: PolicyOverrides): TaskPolicy {
  return {
    ...taskPolicies[type],
    ...overrides[type],
    ...(channel !== undefined && overrides[`${type}/${channel}`]),
  }
}
