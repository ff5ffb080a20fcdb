import { Duration } from 'aws-cdk-lib'
import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { METRIC_NAMESPACE, type MetricFields, type Metric as MetricName } from '../modules/runtime/telemetry/metrics.ts'

/** One of our own metrics, by one of the sets of dimensions that `modules/runtime/telemetry/metrics.ts` lists for it. */
export function backstopMetric(
  metricName: MetricName,
  statistic: 'Sum' | 'Maximum' | 'Minimum' | 'Average',
  minutes: number,
  fields: MetricFields = {},
): Metric {
  return new Metric({
    namespace: METRIC_NAMESPACE,
    metricName,
    statistic,
    period: Duration.minutes(minutes),
    dimensionsMap: { ...fields },
    // The name of the series alone, and not the metric's before it: titles say that.
    label: Object.values(fields)[0] ?? metricName,
  })
}
