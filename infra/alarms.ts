import { CfnCondition, type CfnParameter, Duration, Fn, Stack, Validations } from 'aws-cdk-lib'
import {
  Alarm,
  AlarmRule,
  ComparisonOperator,
  CompositeAlarm,
  type IAlarm,
  type IMetric,
  type TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { CfnSubscription, Topic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'

export const ALARM_PERIOD = Duration.minutes(1)

export interface AlarmSettings {
  readonly metric: IMetric
  /** What is going wrong for the merchant or his customers, and what still protects them: the text of the alarm. */
  readonly impact: string
  readonly threshold: number
  readonly comparison?: ComparisonOperator
  readonly evaluationPeriods?: number
  /** What silence means: for a count of errors good, for a sign of life bad, for a depth nothing new. */
  readonly missing: TreatMissingData
}

/** The topic that every alarm goes to, with a mail subscription when an address is given. */
export class Alarms extends Construct {
  readonly topic: Topic
  readonly #action: SnsAction

  constructor(scope: Construct, id: string, email: CfnParameter) {
    super(scope, id)
    // Not encrypted by a key: CloudWatch cannot publish under the key that SNS manages, and alarms hold no secrets.
    this.topic = new Topic(this, 'Topic', { displayName: 'Backstop alarms', enforceSSL: true })
    // A topic with a policy of its own loses the default one, by which alarms of the account may publish.
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsMayPublish',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    )
    const hasEmail = new CfnCondition(this, 'HasEmail', {
      expression: Fn.conditionNot(Fn.conditionEquals(email.valueAsString, '')),
    })
    const mail = new CfnSubscription(this, 'Mail', {
      topicArn: this.topic.topicArn,
      protocol: 'email',
      endpoint: email.valueAsString,
    })
    mail.cfnOptions.condition = hasEmail
    Validations.of(mail).acknowledge({
      id: 'Serverless-SNSRedrivePolicy',
      reason: 'A mail that SNS cannot send is of no use later: the alarm itself stays in its state, for whoever looks.',
    })
    this.#action = new SnsAction(this.topic)
  }

  /** Adds an alarm at `scope` that tells the topic when it starts and when it is over. */
  raise(scope: Construct, id: string, settings: AlarmSettings): void {
    const alarm = this.watch(scope, id, settings)
    alarm.addAlarmAction(this.#action)
    alarm.addOkAction(this.#action)
  }

  /** Adds an alarm that shows its state and tells nobody: a part of one that `raiseOnce` adds. */
  watch(scope: Construct, id: string, settings: AlarmSettings): Alarm {
    return new Alarm(scope, id, {
      metric: settings.metric,
      alarmDescription: settings.impact,
      threshold: settings.threshold,
      comparisonOperator: settings.comparison ?? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: settings.evaluationPeriods ?? 1,
      treatMissingData: settings.missing,
    })
  }

  /** Adds an alarm over others that have one cause as a rule: however many of them ring, the topic is told once. */
  raiseOnce(scope: Construct, id: string, { impact, parts }: { impact: string; parts: readonly IAlarm[] }): void {
    const alarm = new CompositeAlarm(scope, id, {
      alarmDescription: impact,
      alarmRule: AlarmRule.anyOf(...parts),
    })
    alarm.addAlarmAction(this.#action)
    alarm.addOkAction(this.#action)
  }
}
