import { type LogFields, log, logFields, writeLine } from './log.ts'

/** What a line may say of a metric beside its value. */
export type MetricFields = Readonly<Partial<Record<'channel' | 'reason' | 'source' | 'lane' | 'taskType', string>>>

/** Ids that a line may carry beside its metric, so that queries find it; never dimensions. */
type LineIds = { readonly [id in 'messageId' | 'orderNo' | 'taskNo']?: string | undefined }

type DimensionSets = readonly (readonly (keyof MetricFields)[])[]

const TOTAL = [[]] as const
const BY_LANE = [['lane']] as const

/**
 * The metrics, each with the sets of dimensions that it is counted by. Every set is a series per value, and a series costs money: a
 * test counts them. So a fact with two sides (a lane's attempts of one type) is counted once by each side and not by their product;
 * both stand in the log line.
 * Source: docs/design/metrics.md
 */
export const metricDimensions = {
  CallbackAccepted: [['channel']],
  CallbackRefused: [['channel'], ['reason']],
  CallbackDuplicate: TOTAL,
  CallbackParked: TOTAL,
  /** By who brought it: CALLBACK, QUERY or RECONCILIATION. */
  PaymentApplied: [['channel'], ['source']],
  PaymentLate: TOTAL,
  PaymentSurplus: TOTAL,
  PaymentMismatched: TOTAL,
  MoneyUndone: TOTAL,
  Attempts: [['lane'], ['taskType']],
  /** 1 for an attempt that brought an answer we understand (done, or a clear "not yet"), else 0: its average is the success share. */
  AttemptsDone: [['lane'], ['taskType']],
  AttemptsUnknown: BY_LANE,
  /** Overdue tasks that one round of the sweep met. */
  DueBacklog: BY_LANE,
  OldestDueSeconds: BY_LANE,
  GateRate: BY_LANE,
  /** 1 while a lane lets no call through or lets probes alone, else 0. */
  GateStopped: BY_LANE,
  TicketsOpened: TOTAL,
  /** Tickets that one round of the sweep met; it meets each once an hour, so that the sum of an hour is how many are open. */
  TicketsOpen: TOTAL,
  /** Of the tickets that one round of the sweep met, how long the oldest has waited; the most of an hour is that of all. */
  OldestTicketSeconds: TOTAL,
  /** Notices that the merchant did not take in all their time; they are kept for replay. */
  NoticesGivenUp: TOTAL,
  TasksHeld: TOTAL,
  /** Answers of Secrets Manager without usable keys, at most one a minute for each secret and environment. */
  SecretUnusable: TOTAL,
  SweepHeartbeat: TOTAL,
  SweepFailed: TOTAL,
  /** Shards of the due index that a round had no time for; the next goes on there. */
  SweepUnfinished: TOTAL,
  /** What the stream should have sent and did not: a task's trigger, or a change of an order when it was tried again. */
  DispatchFailed: TOTAL,
} as const satisfies Record<string, DimensionSets>

export type Metric = keyof typeof metricDimensions

export const METRIC_NAMESPACE = 'Backstop'

/** Emits one metric value as a CloudWatch embedded-metric log line: no call, no client, no wait. */
export function emitMetric(
  name: Metric,
  fields: MetricFields & LineIds = {},
  value = 1,
  unit: 'Count' | 'Seconds' = 'Count',
): void {
  writeLine({ _aws: metadataOf([name], unit), ...fields, [name]: value })
}

/**
 * Says what happened and counts it, in one line: a line for each would say channel, time and ids again. Ids are no dimensions
 * and cost no series.
 */
export function logAndCount(
  level: 'INFO' | 'WARN',
  message: string,
  metrics: readonly Metric[],
  fields: MetricFields & LogFields,
): void {
  const values = Object.fromEntries(metrics.map((name) => [name, 1]))
  if (metrics.length === 0) log(level, message, fields)
  else writeLine({ level, message, _aws: metadataOf(metrics, 'Count'), ...logFields(), ...fields, ...values })
}

function metadataOf(names: readonly Metric[], unit: 'Count' | 'Seconds'): object {
  return {
    Timestamp: Date.now(),
    CloudWatchMetrics: names.map((name) => ({
      Namespace: METRIC_NAMESPACE,
      Dimensions: metricDimensions[name],
      Metrics: [{ Name: name, Unit: unit }],
    })),
  }
}
