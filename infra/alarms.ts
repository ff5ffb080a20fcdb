import { CfnCondition, type CfnParameter, Duration, Fn, Stack } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, type IMetric, type TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { CfnSubscription, Topic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'

export const ALARM_PERIOD = Duration.minutes(1)

export interface AlarmRule {
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
    this.#action = new SnsAction(this.topic)
  }

  /** Adds an alarm at `scope` that tells the topic when it starts and when it is over. */
  raise(scope: Construct, id: string, rule: AlarmRule): void {
    const alarm = new Alarm(scope, id, {
      metric: rule.metric,
      alarmDescription: rule.impact,
      threshold: rule.threshold,
      comparisonOperator: rule.comparison ?? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: rule.evaluationPeriods ?? 1,
      treatMissingData: rule.missing,
    })
    alarm.addAlarmAction(this.#action)
    alarm.addOkAction(this.#action)
  }
}
