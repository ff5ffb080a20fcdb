import { Duration } from 'aws-cdk-lib'
import { type IAlarm, type IMetric, MathExpression, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { Operation, type TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { Rule } from 'aws-cdk-lib/aws-events'
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import type { Alarms } from './alarms.ts'
import { BackstopFunction } from './backstop-function.ts'
import { BackstopQueue } from './backstop-queue.ts'
import type { FunctionSettings } from './function-settings.ts'
import type { Gate } from './gate.ts'
import type { Ledger } from './ledger.ts'

/** What suffers when a machine fails, and what still protects the merchant: one alarm tells people of each. */
const impacts = {
  Callbacks:
    'Callbacks are not taken or settled in time: ingress, settle or what they stand on fails, is throttled, or lags. Acknowledged ' +
    'ones are safe in the queue for days, channels repeat the others for hours, and open payments are asked for on their ladder.',
  Calls:
    "Calls of the merchant's systems fail or are throttled: new orders are not watched until the call is repeated. What is in the " +
    'ledger goes on by itself.',
  Tasks:
    'Tasks do not run or get no trigger in time: retries, deliveries and refunds are late. Rows are safe, and whatever works again ' +
    'catches up by itself.',
  News: 'Subscribers of the bus learn of changes late; payments, goods and refunds are not touched, and the journal has all changes.',
  Ledger:
    'A table throttles or answers with errors of its own: callbacks wait in their queue, calls of the merchant get 503, tasks are ' +
    'late. What was committed is safe.',
} as const
type Impact = keyof typeof impacts

/** Exhaustive: a new function has to say here whom it hurts. */
const impactOf: Readonly<Record<keyof FunctionSettings, Impact>> = {
  ingress: 'Callbacks',
  settle: 'Callbacks',
  salvage: 'Callbacks',
  certificates: 'Callbacks',
  orders: 'Calls',
  dispatch: 'Tasks',
  work: 'Tasks',
  sweep: 'Tasks',
  publish: 'News',
}
/** Whoever waits for the answer of these feels a single throttled call; queues and streams bring the same work again. */
const IS_WAITED_FOR: readonly (keyof FunctionSettings)[] = ['ingress', 'orders']

const FIVE_MINUTES = Duration.minutes(5)
/** A cold start that ran out of time now and then is AWS; three in five minutes are us. */
const ERRORS = 3
const THROTTLES = 10
/** WeChat Pay's customers look at the phone: two minutes are what a buyer waits before he asks. */
const CALLBACK_WAITS_SECONDS = 120
/** As for overdue rows (infra/health-alarms.ts). */
const TRIGGER_WAITS_SECONDS = 600
/** Over a quarter of an hour, this many receives of which a fifth failed: more than the odd transaction that lost its race. */
const SETTLE_RECEIVES = 20
const SETTLE_SHARE = 0.2
const TABLE_THROTTLES = 100
const TABLE_ERRORS = 10

export interface MachineAlarmsProps {
  readonly alarms: Alarms
  readonly ledger: Ledger
  readonly gate: Gate
}

/**
 * What the machines report: errors, throttles and lag of each, shown one by one and told of once by impact. Finds functions, queues
 * and rules of `scope` by itself: make it after them.
 */
export class MachineAlarms extends Construct {
  readonly #alarms: Alarms
  readonly #parts: Record<Impact, IAlarm[]> = { Callbacks: [], Calls: [], Tasks: [], News: [], Ledger: [] }

  constructor(scope: Construct, id: string, { alarms, ledger, gate }: MachineAlarmsProps) {
    super(scope, id)
    this.#alarms = alarms
    for (const found of scope.node.findAll()) {
      if (found instanceof BackstopFunction) this.#addFunction(found)
      if (found instanceof BackstopQueue) this.#addQueue(found)
      if (found instanceof Rule) this.#addRule(found)
      if (found instanceof ScheduleGroup) this.#addSchedules(found)
    }
    this.#addTable('Ledger', ledger.table, ['due', 'find'])
    this.#addTable('Gate', gate.table, [])
    for (const [impact, parts] of Object.entries(this.#parts)) {
      alarms.raiseOnce(this, impact, { impact: textOf(impact), parts })
    }
    alarms.raise(this, 'AlarmsUndelivered', {
      metric: alarms.topic.metricNumberOfNotificationsFailed({ period: FIVE_MINUTES, statistic: 'Sum' }),
      impact:
        'SNS could not hand an alarm to one of its subscribers: somebody who should know does not. The other subscribers were ' +
        'told, and every alarm keeps its state in CloudWatch.',
      threshold: 1,
      missing: TreatMissingData.NOT_BREACHING,
    })
  }

  #addFunction({ folder, function: fn }: BackstopFunction<keyof FunctionSettings>): void {
    const name = capital(folder)
    const sum = { period: FIVE_MINUTES, statistic: 'Sum' }
    this.#watch(impactOf[folder], `${name}Errors`, {
      metric: fn.metricErrors(sum),
      threshold: ERRORS,
      means: `The function ${folder} failed ${ERRORS} times and more in five minutes: it threw, ran out of time or could not start.`,
    })
    this.#watch(impactOf[folder], `${name}Throttles`, {
      metric: fn.metricThrottles(sum),
      threshold: IS_WAITED_FOR.includes(folder) ? 1 : THROTTLES,
      means: `The function ${folder} was not run for want of concurrency: the account's, or what is reserved for it.`,
    })
  }

  #addQueue({ queue, node }: BackstopQueue): void {
    const isCallbacks = node.id === 'Callbacks'
    const threshold = isCallbacks ? CALLBACK_WAITS_SECONDS : TRIGGER_WAITS_SECONDS
    this.#watch(isCallbacks ? 'Callbacks' : 'Tasks', `${node.id}Waits`, {
      metric: queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1), statistic: 'Maximum' }),
      threshold,
      evaluationPeriods: 2,
      means: `The oldest message of the queue ${node.id} has waited ${threshold} seconds and more: its function does not keep up, or fails on it.`,
    })
    if (isCallbacks) this.#addSettling(queue)
  }

  /** settle gives failed callbacks back without failing itself: what was received and not deleted is its share of failures. */
  #addSettling(queue: Queue): void {
    const period = Duration.minutes(15)
    const sum = { period, statistic: 'Sum' }
    this.#watch('Callbacks', 'SettlingFails', {
      metric: new MathExpression({
        expression: `IF(received >= ${SETTLE_RECEIVES} AND FILL(deleted, 0) < received * ${1 - SETTLE_SHARE}, 1, 0)`,
        usingMetrics: {
          received: queue.metricNumberOfMessagesReceived(sum),
          deleted: queue.metricNumberOfMessagesDeleted(sum),
        },
        period,
        label: 'settle gives back more than a fifth',
      }),
      threshold: 1,
      means:
        'More than a fifth of the callbacks that settle took in a quarter of an hour were given back to the queue.',
    })
  }

  #addRule(rule: Rule): void {
    this.#watch('Tasks', `${rule.node.id}NotStarted`, {
      metric: new Metric({
        namespace: 'AWS/Events',
        metricName: 'FailedInvocations',
        dimensionsMap: { RuleName: rule.ruleName },
        period: FIVE_MINUTES,
        statistic: 'Sum',
      }),
      threshold: 1,
      means: `EventBridge could not call the function of the rule ${rule.node.id}, also not by repeating it.`,
    })
  }

  #addSchedules(group: ScheduleGroup): void {
    const sum = { period: FIVE_MINUTES, statistic: 'Sum' }
    this.#watch('Tasks', 'SchedulesDropped', {
      metric: total({ dropped: group.metricDropped(sum), undead: group.metricFailedToBeSentToDLQ(undefined, sum) }),
      threshold: 1,
      means: 'EventBridge Scheduler gave up triggers of tasks; the sweep finds their rows.',
    })
    this.#watch('Tasks', 'SchedulesHeldUp', {
      metric: total({
        throttled: group.metricThrottled(sum),
        refused: group.metricTargetErrors(sum),
        slowed: group.metricTargetThrottled(sum),
      }),
      threshold: THROTTLES,
      means: 'EventBridge Scheduler is throttled or meets errors at the queues of the lanes: triggers are late.',
    })
  }

  #addTable(name: string, table: TableV2, indexes: readonly string[]): void {
    const of = (metricName: string, index?: string): IMetric =>
      table.metric(metricName, {
        period: FIVE_MINUTES,
        statistic: 'Sum',
        ...(index !== undefined && {
          dimensionsMap: { TableName: table.tableName, GlobalSecondaryIndexName: index },
        }),
      })
    const ofIndexes = Object.fromEntries(indexes.map((index) => [`write_${index}`, of('WriteThrottleEvents', index)]))
    this.#watch('Ledger', `${name}Throttled`, {
      metric: total({ read: of('ReadThrottleEvents'), write: of('WriteThrottleEvents'), ...ofIndexes }),
      threshold: TABLE_THROTTLES,
      means: `The table ${name} or one of its indexes was throttled ${TABLE_THROTTLES} times and more in five minutes.`,
    })
    this.#watch('Ledger', `${name}Errors`, {
      metric: table.metricSystemErrorsForOperations({
        operations: [
          Operation.GET_ITEM,
          Operation.BATCH_GET_ITEM,
          Operation.QUERY,
          Operation.PUT_ITEM,
          Operation.UPDATE_ITEM,
          Operation.TRANSACT_WRITE_ITEMS,
        ],
        period: FIVE_MINUTES,
        statistic: 'Sum',
      }),
      threshold: TABLE_ERRORS,
      means: `DynamoDB answered requests to the table ${name} with errors of its own, ${TABLE_ERRORS} and more in five minutes.`,
    })
  }

  #watch(
    impact: Impact,
    id: string,
    settings: {
      readonly metric: IMetric
      readonly threshold: number
      readonly evaluationPeriods?: number
      readonly means: string
    },
  ): void {
    const { means, ...others } = settings
    const alarm = this.#alarms.watch(this, id, {
      ...others,
      impact: `${means} ${impacts[impact]}`,
      missing: TreatMissingData.NOT_BREACHING,
    })
    this.#parts[impact].push(alarm)
  }
}

function textOf(impact: string): string {
  const [, text] = Object.entries(impacts).find(([name]) => name === impact) ?? []
  if (text === undefined) throw new TypeError(`${impact} is no impact.`)
  return text
}

/** The sum of counts of which some are never sent. */
function total(usingMetrics: Record<string, IMetric>): MathExpression {
  const names = Object.keys(usingMetrics)
  return new MathExpression({
    expression: names.map((name) => `FILL(${name}, 0)`).join(' + '),
    usingMetrics,
    period: FIVE_MINUTES,
    label: names.join(', '),
  })
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
