import { Duration } from 'aws-cdk-lib'
import { type IAlarm, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { Construct } from 'constructs'
import type { Alarms } from './alarms.ts'
import { backstopMetric } from './backstop-metric.ts'
import type { StageConfig } from './config-schema.ts'
import type { BackstopApi } from './http-api.ts'
import { gatedLanesOf, lanesOf } from './lanes.ts'

/** Over this long … */
const SHARE_MINUTES = 15
/** … this many attempts, none of them answered: more than one task makes, so that one bad order does not ring. */
const SHARE_ATTEMPTS = 5
/** A callback refused now and then is the internet; so many, and more than were taken, are our keys. */
const REFUSED_IN_A_QUARTER = 10
const OVERDUE_SECONDS = 10 * 60
/** A backlog below this is a busy minute; our figure */
const BACKLOG = 100
/** A breaker tries again after one minute; one that is still open now has met a real outage. */
const OPEN_MINUTES = 5
/**
 * WeChat Pay waits 5 s for the answer to a callback; the others wait longer.
 * Source: docs/channels/wechatpay.md, Acknowledgement and repeats
 */
const SLOW_MS = 3000

/** Half of the attempts fail, and enough of them to mean something. */
const FAILING_SHARE = 0.5
const FAILING_ATTEMPTS = 20
/** Over this long a channel that customers use brings callbacks … */
const UNHEARD_HOURS = 6
/** … one for each payment at least; so many payments without are no accident. */
const UNHEARD_PAYMENTS = 3
/** Callbacks get lost now and then; a fifth of all payments found otherwise is a way that is broken. */
const ASKED_SHARE = 0.2
const ASKED_PAYMENTS = 5
const TICKET_WAITS_SECONDS = 3 * 24 * 3600

/** Who brings a payment. Source: docs/design/metrics.md */
export const paymentSources = ['CALLBACK', 'QUERY', 'RECONCILIATION'] as const

const IF_SILENT = TreatMissingData.NOT_BREACHING

export interface HealthAlarmsProps {
  readonly config: StageConfig
  readonly alarms: Alarms
  readonly api: BackstopApi
}

/** What is wrong though nothing has failed outright: by how the business goes, not by what the machines report. */
export class HealthAlarms extends Construct {
  constructor(scope: Construct, id: string, { config, alarms, api }: HealthAlarmsProps) {
    super(scope, id)
    const gated = new Set(gatedLanesOf(config))
    for (const { name } of lanesOf(config)) this.#addLane(alarms, name, gated.has(name))
    for (const { account } of config.channels) this.#addChannel(alarms, account.id)
    alarms.raise(this, 'SecretUnusable', {
      metric: backstopMetric('SecretUnusable', 'Sum', 5),
      impact:
        'A secret is empty, gone, not given to us or not of its form: its channel is shut, and none of its payments is taken ' +
        'in or asked for. The channel repeats for hours, so nothing is lost yet; orders wait until the secret is there.',
      threshold: 1,
      missing: IF_SILENT,
    })
    alarms.raise(this, 'TicketOpened', {
      metric: backstopMetric('TicketsOpened', 'Sum', 5),
      impact:
        'A task needs a person: money, goods or a refund of at least one order will not move by itself any more. Nothing ' +
        'is lost, and the ticket waits with its evidence; the customer waits, too.',
      threshold: 1,
      missing: IF_SILENT,
    })
    alarms.raise(this, 'TicketWaits', {
      // Each ticket is met once an hour.
      metric: backstopMetric('OldestTicketSeconds', 'Maximum', 60),
      impact:
        'A ticket has waited three days for a person: a customer waits as long for money, goods or an answer. Nothing is lost, ' +
        'and nothing but a person will move it.',
      threshold: TICKET_WAITS_SECONDS,
      missing: IF_SILENT,
    })
    alarms.raise(this, 'FoundByAsking', {
      metric: foundByAsking(),
      impact:
        'More than a fifth of the payments of an hour were found by asking or in the bill and not by a callback: customers wait ' +
        'minutes for what takes seconds. No payment is lost; a channel sends to a wrong address, or something in front refuses it.',
      threshold: 1,
      missing: IF_SILENT,
    })
    alarms.raise(this, 'DispatchFailed', {
      metric: backstopMetric('DispatchFailed', 'Sum', 5),
      impact:
        'A task got no trigger, or the bus did not take a change of an order twice: a queue, a schedule or the bus did not ' +
        'answer, or a channel is configured no more. The sweep asks again for both until it works; tasks of a channel that ' +
        'was taken out stay where they are until it is put back.',
      threshold: 1,
      missing: IF_SILENT,
    })
    alarms.raise(this, 'NoticesNotTaken', {
      metric: noSuccess('NOTIFY', { taskType: 'NOTIFY' }),
      impact:
        'No notice was taken by the merchant for a quarter of an hour, though some were sent: his system does not know of ' +
        'closed orders, late money and what else he chose. They are tried for a day; deliveries are not held up by them.',
      threshold: 1,
      missing: IF_SILENT,
    })
    alarms.raise(this, 'NoticesGivenUp', {
      metric: backstopMetric('NoticesGivenUp', 'Sum', 5),
      impact:
        'Notices were given up: the merchant did not take them in a day, so his system does not know what became of those ' +
        'orders. They are kept, and nothing else waits for them; have them told again when his endpoint answers.',
      threshold: 1,
      missing: IF_SILENT,
    })
    alarms.raise(this, 'ApiSlow', {
      metric: api.api.metricLatency({ period: Duration.minutes(5), statistic: 'p99' }),
      impact:
        'The slowest answers of the API take 3 s and more: some channels will soon give up waiting and send their callbacks ' +
        'again, and checkouts wait. Nothing is lost: what is sent again is taken once.',
      threshold: SLOW_MS,
      evaluationPeriods: 3,
      missing: IF_SILENT,
    })
  }

  #addLane(alarms: Alarms, lane: string, isGated: boolean): void {
    alarms.raise(this, `Lane-${lane}NoSuccess`, {
      // Notices share the merchant's lane and have an alarm of their own: neither may hide the other.
      metric: noSuccess(lane, lane === 'merchant' ? { taskType: 'DELIVER' } : { lane }),
      impact:
        `Every ${lane === 'merchant' ? 'delivery' : 'attempt'} on the lane ${lane} failed for a quarter of an hour, though attempts were made: ${consequenceOf(lane)} ` +
        'A wrong key, address or setting looks like this, and so does an outage of the other side. Tasks use up their retries.',
      threshold: 1,
      missing: IF_SILENT,
    })
    const parts: IAlarm[] = [
      alarms.watch(this, `Lane-${lane}Overdue`, {
        metric: backstopMetric('OldestDueSeconds', 'Maximum', 5, { lane }),
        impact: `A task of the lane ${lane} should have run ten minutes ago and more: ${consequenceOf(lane)}`,
        threshold: OVERDUE_SECONDS,
        missing: IF_SILENT,
      }),
      alarms.watch(this, `Lane-${lane}BacklogGrows`, {
        metric: new MathExpression({
          expression: `IF(due >= ${BACKLOG}, DIFF(due), 0)`,
          // An overdue row comes round every five minutes: their sum is the backlog.
          usingMetrics: { due: backstopMetric('DueBacklog', 'Sum', 5, { lane }) },
          period: Duration.minutes(5),
          label: `${lane}: growth of the backlog`,
        }),
        impact: `More falls due on the lane ${lane} than is carried out, for a quarter of an hour: ${consequenceOf(lane)}`,
        threshold: 1,
        evaluationPeriods: 3,
        missing: IF_SILENT,
      }),
    ]
    parts.push(
      alarms.watch(this, `Lane-${lane}ManyFail`, {
        metric: manyFail(lane),
        impact: `More than half of ${FAILING_ATTEMPTS} attempts and more on the lane ${lane} failed in a quarter of an hour: ${consequenceOf(lane)}`,
        threshold: 1,
        missing: IF_SILENT,
      }),
    )
    if (isGated) {
      parts.push(
        alarms.watch(this, `Lane-${lane}GateStopped`, {
          metric: backstopMetric('GateStopped', 'Minimum', 1, { lane }),
          impact:
            `The gate has kept calls of the lane ${lane} back for more than five minutes, because they fail or our keys are ` +
            `refused: ${consequenceOf(lane)} Parked tasks use no retry.`,
          threshold: 1,
          evaluationPeriods: OPEN_MINUTES + 1,
          missing: IF_SILENT,
        }),
      )
    }
    alarms.raiseOnce(this, `Lane-${lane}Late`, {
      impact:
        `Work on the lane ${lane} is late: it fails often, is overdue, piles up, or is kept back by its gate. ${consequenceOf(lane)} Rows are ` +
        'safe and go on by themselves; the alarms that this one is made of say which it is.',
      parts,
    })
  }

  #addChannel(alarms: Alarms, channel: string): void {
    alarms.raise(this, `Lane-${channel}CallbacksRefused`, {
      metric: new MathExpression({
        expression: `IF(refused >= ${REFUSED_IN_A_QUARTER} AND refused > FILL(accepted, 0), 1, 0)`,
        usingMetrics: {
          refused: backstopMetric('CallbackRefused', 'Sum', SHARE_MINUTES, { channel }),
          accepted: backstopMetric('CallbackAccepted', 'Sum', SHARE_MINUTES, { channel }),
        },
        period: Duration.minutes(SHARE_MINUTES),
        label: `${channel}: more refused than taken`,
      }),
      impact:
        `More callbacks of ${channel} are refused than taken: payments of its customers are learnt of late, by asking. As a ` +
        'rule a key was changed on one side only. The channel repeats for hours; after that it must be asked to send again.',
      threshold: 1,
      missing: IF_SILENT,
    })
    alarms.raise(this, `Lane-${channel}Unheard`, {
      metric: new MathExpression({
        // Without a single callback there is no such metric at all: a channel may be wrong from its first day.
        expression: `IF(applied >= ${UNHEARD_PAYMENTS} AND FILL(accepted, 0) < applied / 2, 1, 0)`,
        usingMetrics: {
          applied: backstopMetric('PaymentApplied', 'Sum', UNHEARD_HOURS * 60, { channel }),
          accepted: backstopMetric('CallbackAccepted', 'Sum', UNHEARD_HOURS * 60, { channel }),
        },
        period: Duration.hours(UNHEARD_HOURS),
        label: `${channel}: payments without callbacks`,
      }),
      impact:
        `Most payments at ${channel} are found by asking, and few or no callbacks of it come: its customers wait minutes for ` +
        'what takes seconds. The address in its console is wrong or not set, or its requests do not reach us.',
      threshold: 1,
      missing: IF_SILENT,
    })
  }
}

function manyFail(lane: string): MathExpression {
  return new MathExpression({
    expression: `IF(attempts >= ${FAILING_ATTEMPTS} AND FILL(done, 0) < attempts * ${1 - FAILING_SHARE}, 1, 0)`,
    usingMetrics: {
      attempts: backstopMetric('Attempts', 'Sum', SHARE_MINUTES, { lane }),
      done: backstopMetric('AttemptsDone', 'Sum', SHARE_MINUTES, { lane }),
    },
    period: Duration.minutes(SHARE_MINUTES),
    label: `${lane}: more than half fail`,
  })
}

function foundByAsking(): MathExpression {
  const [callback, query, bill] = paymentSources.map((source) =>
    backstopMetric('PaymentApplied', 'Sum', 60, { source }),
  )
  if (callback === undefined || query === undefined || bill === undefined) throw new TypeError('A source is missing.')
  const asked = '(FILL(query, 0) + FILL(bill, 0))'
  const all = `(FILL(callback, 0) + ${asked})`
  return new MathExpression({
    expression: `IF(${all} >= ${ASKED_PAYMENTS} AND ${asked} > ${all} * ${ASKED_SHARE}, 1, 0)`,
    usingMetrics: { callback, query, bill },
    period: Duration.hours(1),
    label: 'more than a fifth found by asking',
  })
}

/** 1 while attempts run and none of them is answered. */
function noSuccess(label: string, dimensions: Readonly<Record<string, string>>): MathExpression {
  return new MathExpression({
    // Both come from the same attempts: where there are attempts there is a success share, also from the first minute on.
    expression: `IF(attempts >= ${SHARE_ATTEMPTS} AND FILL(done, 0) == 0, 1, 0)`,
    usingMetrics: {
      attempts: backstopMetric('Attempts', 'Sum', SHARE_MINUTES, dimensions),
      done: backstopMetric('AttemptsDone', 'Sum', SHARE_MINUTES, dimensions),
    },
    period: Duration.minutes(SHARE_MINUTES),
    label: `${label}: attempts without one success`,
  })
}

function consequenceOf(lane: string): string {
  if (lane === 'merchant') return 'customers have paid and do not get their goods.'
  if (lane === 'internal') return 'orders are not closed and their stock stays reserved; early callbacks wait.'
  return `payments at ${lane} whose callback was lost stay unknown, and tries that were given up stay open.`
}
