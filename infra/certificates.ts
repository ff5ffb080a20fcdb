import { Duration, Validations } from 'aws-cdk-lib'
import { TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import { Construct } from 'constructs'
import type { Alarms } from './alarms.ts'
import { BackstopFunction } from './backstop-function.ts'
import type { StageConfig } from './config-schema.ts'
import { accountsJson } from './function-settings.ts'
import type { Parameters } from './parameters.ts'
import type { Secrets } from './secrets.ts'

const KIND = 'wechatpay'
/** WeChat Pay asks for intervals under 12 hours. Source: docs/channels/wechatpay.md, Callback */
const EVERY = Duration.hours(10)
/** A round that failed is tried again after one minute and after two more. */
const RETRIES = 2
const MAX_EVENT_AGE = Duration.hours(1)

export interface CertificatesProps {
  readonly config: StageConfig
  readonly alarms: Alarms
  readonly parameters: Parameters
  readonly secrets: Secrets
}

/** Whether any account has certificates to refresh; without one there is no function. */
export function hasCertificates({ channels }: StageConfig): boolean {
  return channels.some(({ account }) => account.kind === KIND)
}

/** Keeps WeChat Pay's certificates in the secrets of its accounts, so that no callback ever waits for a fetch. */
export class Certificates extends Construct {
  constructor(scope: Construct, id: string, { config, alarms, parameters, secrets }: CertificatesProps) {
    super(scope, id)
    const { function: fn } = new BackstopFunction(this, 'Certificates', {
      folder: 'certificates',
      timeoutSeconds: 60,
      memoryMb: 256,
      logRetentionDays: config.logRetentionDays,
      tracing: config.tracing,
      environment: {
        CHANNELS: accountsJson({ channels: config.channels.filter(({ account }) => account.kind === KIND) }),
        CHANNEL_SECRETS: secrets.arnsJsonOf(KIND),
        CHANNEL_ENDPOINTS: parameters.channelEndpoints.valueAsString,
      },
    })
    secrets.grantRefresh(fn, KIND)
    fn.configureAsyncInvoke({ retryAttempts: RETRIES, maxEventAge: MAX_EVENT_AGE })
    const rule = new Rule(this, 'EveryTenHours', {
      description: 'Backstop: WeChat Pay certificates',
      schedule: Schedule.rate(EVERY),
      targets: [new LambdaFunction(fn, { retryAttempts: RETRIES, maxEventAge: MAX_EVENT_AGE })],
    })
    const reason =
      'A round that failed for good has an alarm, and the next one begins anew: its event has nothing in it.'
    Validations.of(fn).acknowledge(
      { id: 'Serverless-LambdaDLQ', reason },
      { id: 'Serverless-LambdaAsyncFailureDestination', reason },
    )
    Validations.of(rule).acknowledge({ id: 'Serverless-EventBusDLQ', reason })
    alarms.raise(this, 'Failed', {
      metric: fn.metricErrors({ period: Duration.hours(1), statistic: 'Sum' }),
      impact:
        "WeChat Pay's certificates could not be refreshed, also not by repeating it. Callbacks are taken as before by the " +
        'keys that are held; when WeChat Pay begins to sign with a certificate that is not among them, they are refused.',
      threshold: RETRIES + 1,
      missing: TreatMissingData.NOT_BREACHING,
    })
  }
}
