import { Duration } from 'aws-cdk-lib'
import {
  Dashboard as CloudWatchDashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
} from 'aws-cdk-lib/aws-cloudwatch'
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { Queue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import type { MetricFields, Metric as MetricName } from '../modules/runtime/telemetry/metrics.ts'
import { backstopMetric } from './backstop-metric.ts'
import type { StageConfig } from './config-schema.ts'
import { DeadLetterQueue } from './dead-letter-queue.ts'
import { paymentSources } from './health-alarms.ts'
import type { BackstopApi } from './http-api.ts'
import { gatedLanesOf, lanesOf } from './lanes.ts'

const PERIOD = Duration.minutes(5)
const GRAPHS_A_ROW = 3
const COLUMNS = 24

export interface DashboardProps {
  readonly config: StageConfig
  readonly api: BackstopApi
}

/** One page on how the business goes, then on what it runs on. Finds functions, tables and queues by itself: make it last. */
export class Dashboard extends Construct {
  constructor(scope: Construct, id: string, { config, api }: DashboardProps) {
    super(scope, id)
    const graphs = [...businessGraphs(config), ...serviceGraphs(scope, api)]
    const rows = Array.from({ length: Math.ceil(graphs.length / GRAPHS_A_ROW) }, (_, row) =>
      graphs.slice(row * GRAPHS_A_ROW, (row + 1) * GRAPHS_A_ROW),
    )
    new CloudWatchDashboard(this, 'Page', { widgets: rows, defaultInterval: Duration.hours(6) })
  }
}

function businessGraphs(config: StageConfig): IWidget[] {
  const channels = config.channels.map(({ account }): MetricFields => ({ channel: account.id }))
  const lanes = lanesOf(config).map(({ name }): MetricFields => ({ lane: name }))
  const gated = gatedLanesOf(config).map((lane): MetricFields => ({ lane }))
  const sums = (name: MetricName, by: readonly MetricFields[]) => by.map((one) => backstopMetric(name, 'Sum', 5, one))
  return [
    graph('Callbacks taken, by channel', sums('CallbackAccepted', channels)),
    graph('Callbacks refused, by channel', sums('CallbackRefused', channels)),
    graph('Payments applied, by channel', sums('PaymentApplied', channels)),
    graph(
      'Payments applied, by who brought them',
      sums(
        'PaymentApplied',
        paymentSources.map((source) => ({ source })),
      ),
    ),
    graph('Payments out of order', [
      ...totals('PaymentLate', 'PaymentSurplus', 'PaymentMismatched', 'MoneyUndone'),
      ...totals('CallbackDuplicate', 'CallbackParked'),
    ]),
    graph('Attempts, by lane', sums('Attempts', lanes)),
    graph(
      'Success share of attempts, by lane',
      lanes.map((lane) => backstopMetric('AttemptsDone', 'Average', 5, lane)),
    ),
    graph('Attempts with unknown result, by lane', sums('AttemptsUnknown', lanes)),
    graph('Overdue tasks, by lane', sums('DueBacklog', lanes)),
    graph(
      'Age of the oldest overdue task (s), by lane',
      lanes.map((lane) => backstopMetric('OldestDueSeconds', 'Maximum', 5, lane)),
    ),
    graph('Tickets opened and open', [
      ...totals('TicketsOpened', 'TasksHeld', 'NoticesGivenUp'),
      // Each ticket is met once an hour.
      backstopMetric('TicketsOpen', 'Sum', 60),
    ]),
    graph('Age of the oldest open ticket (s)', [backstopMetric('OldestTicketSeconds', 'Maximum', 60)]),
    graph(
      'Rate that the gate allows (calls/s), by lane',
      gated.map((lane) => backstopMetric('GateRate', 'Average', 5, lane)),
    ),
    graph(
      'Gate keeps calls back (1), by lane',
      gated.map((lane) => backstopMetric('GateStopped', 'Maximum', 5, lane)),
    ),
    graph(
      'Sweep and dispatch',
      totals('SweepHeartbeat', 'SweepFailed', 'SweepUnfinished', 'DispatchFailed', 'SecretUnusable'),
    ),
  ]
}

function serviceGraphs(scope: Construct, { api }: BackstopApi): IWidget[] {
  const everything = scope.node.findAll()
  const nameOf = (construct: Construct) => nameWithin(scope, construct)
  const functions = everything.filter((construct) => construct instanceof LambdaFunction)
  const tables = everything.filter((construct) => construct instanceof TableV2)
  const queues = everything.filter((construct) => construct instanceof Queue)
  const isDead = (queue: Queue) => queue.node.scope instanceof DeadLetterQueue
  const depths = (of: readonly Queue[]) =>
    of.map((queue) =>
      queue.metricApproximateNumberOfMessagesVisible({ period: PERIOD, statistic: 'Maximum', label: nameOf(queue) }),
    )
  const ofFunctions = (read: 'metricErrors' | 'metricThrottles') =>
    functions.map((fn) => fn[read]({ period: PERIOD, statistic: 'Sum', label: nameOf(fn) }))
  return [
    graph('Dead letters', depths(queues.filter(isDead))),
    graph('Messages that wait', depths(queues.filter((queue) => !isDead(queue)))),
    graph('API: requests and failures', [
      api.metricCount({ period: PERIOD, statistic: 'Sum', label: 'requests' }),
      api.metricClientError({ period: PERIOD, statistic: 'Sum', label: '4xx' }),
      api.metricServerError({ period: PERIOD, statistic: 'Sum', label: '5xx' }),
    ]),
    graph('API: latency (ms)', [
      api.metricLatency({ period: PERIOD, statistic: 'p50', label: 'p50' }),
      api.metricLatency({ period: PERIOD, statistic: 'p99', label: 'p99' }),
    ]),
    graph('Functions: errors', ofFunctions('metricErrors')),
    graph('Functions: throttles', ofFunctions('metricThrottles')),
    graph(
      'Tables: throttled requests',
      tables.map((table, index) => throttlesOf(table, index, nameOf(table))),
    ),
  ]
}

function throttlesOf(table: TableV2, index: number, label: string): IMetric {
  const of = (metricName: string) => table.metric(metricName, { period: PERIOD, statistic: 'Sum' })
  return new MathExpression({
    expression: `FILL(read${index}, 0) + FILL(write${index}, 0)`,
    usingMetrics: { [`read${index}`]: of('ReadThrottleEvents'), [`write${index}`]: of('WriteThrottleEvents') },
    period: PERIOD,
    label,
  })
}

function totals(...names: readonly MetricName[]): IMetric[] {
  return names.map((name) => backstopMetric(name, 'Sum', 5))
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: COLUMNS / GRAPHS_A_ROW, leftYAxis: { min: 0 } })
}

/** `Tasks Lane-stripe DeadLetters`: the constructs around it within `scope`, without its own place in its parent. */
function nameWithin(scope: Construct, construct: Construct): string {
  const names = construct.node.scopes.slice(scope.node.scopes.length, -1).map(({ node }) => node.id)
  return [...new Set(names)].join(' ')
}
