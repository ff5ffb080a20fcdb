/** The metrics of design.md 4a and their dimensions, so that a name is spelt once. */
export type Metric =
  | 'CallbackAccepted'
  | 'CallbackRefused'
  | 'CallbackDuplicate'
  | 'PaymentApplied'
  | 'PaymentLate'
  | 'PaymentSurplus'
  | 'PaymentMismatched'
  | 'CallbackParked'
  | 'Attempts'
  | 'AttemptsDone'
  | 'AttemptsUnknown'
  | 'DueBacklog'
  | 'OldestDueSeconds'
  | 'TicketsOpened'
  | 'TasksHeld'
  | 'SweepHeartbeat'
  | 'SweepFailed'
  | 'DispatchFailed'

export type Dimensions = Readonly<Partial<Record<'channel' | 'reason' | 'lane' | 'taskType', string>>>

const NAMESPACE = 'Backstop'

/** Emits one metric value as a CloudWatch embedded-metric log line: no call, no client, no wait. */
export function emitMetric(
  name: Metric,
  dimensions: Dimensions = {},
  value = 1,
  unit: 'Count' | 'Seconds' = 'Count',
): void {
  const line = {
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [
        { Namespace: NAMESPACE, Dimensions: [Object.keys(dimensions)], Metrics: [{ Name: name, Unit: unit }] },
      ],
    },
    ...dimensions,
    [name]: value,
  }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
