import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib'
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway'
import { CfnStage, HttpApi, type HttpRoute, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2'
import { TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct, type IConstruct } from 'constructs'
import type { Alarms } from './alarms.ts'
import type { StageConfig } from './config-schema.ts'
import { ApiDomain } from './domain.ts'
import { addOutput } from './output.ts'

/**
 * What is logged of each request: who, what and how it went; no header, query or body. When it came is the line's own time in
 * CloudWatch, less its latency.
 */
export const accessLogLine = JSON.stringify({
  requestId: '$context.requestId',
  ip: '$context.identity.sourceIp',
  route: '$context.routeKey',
  path: '$context.path',
  status: '$context.status',
  bytes: '$context.responseLength',
  latencyMs: '$context.responseLatency',
  integrationMs: '$context.integrationLatency',
  integrationError: '$context.integrationErrorMessage',
  authorizerError: '$context.authorizer.error',
})

/** The one address of Backstop: callbacks of the channels and calls of the merchant. */
export class BackstopApi extends Construct {
  readonly api: HttpApi
  readonly accessLog: LogGroup
  /** Where it is called: at the merchant's own name, else at the one that AWS gives it. */
  readonly url: string

  readonly #stage: HttpStage

  constructor(scope: Construct, id: string, { config, alarms }: { config: StageConfig; alarms: Alarms }) {
    super(scope, id)
    this.api = new HttpApi(this, 'Http', { apiName: `backstop-${config.stage}`, createDefaultStage: false })
    this.accessLog = new LogGroup(this, 'AccessLog', {
      retention: config.logRetentionDays,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    })
    const domainName = config.domain === undefined ? undefined : new ApiDomain(this, 'Domain', config.domain).domainName
    this.url = domainName === undefined ? this.api.apiEndpoint : `https://${domainName.name}`
    if (domainName !== undefined) addOutput(this, 'ApiTarget', domainName.regionalDomainName)
    this.#stage = new HttpStage(this, 'Stage', {
      ...(domainName !== undefined && { domainMapping: { domainName } }),
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      detailedMetricsEnabled: true,
      throttle: { rateLimit: config.api.requestsPerSecond, burstLimit: config.api.burst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.accessLog),
        format: AccessLogFormat.custom(accessLogLine),
      },
    })
    alarms.raise(this, 'ServerErrors', {
      metric: this.api.metricServerError({ period: Duration.minutes(5), statistic: 'Sum' }),
      impact:
        'The API answered 5xx: callbacks were not taken, or calls of the merchant failed. Channels send again for a while, ' +
        'and every open payment is asked for on its ladder; new orders are not watched until the merchant repeats his call.',
      threshold: 1,
      missing: TreatMissingData.NOT_BREACHING,
    })
  }

  /**
   * Gives a route limits of its own: what all others are sent no longer counts against it.
   * Source: API Gateway developer guide, "Throttle requests to your HTTP APIs"
   */
  limitRoute(route: HttpRoute, routeKey: string, limits: { readonly perSecond: number; readonly burst: number }): void {
    const stage = this.#stage.node.defaultChild
    if (!(stage instanceof CfnStage)) throw new TypeError('An API stage without its CloudFormation resource.')
    stage.addPropertyOverride(`RouteSettings.${routeKey}`, {
      ThrottlingRateLimit: limits.perSecond,
      ThrottlingBurstLimit: limits.burst,
      DetailedMetricsEnabled: true,
    })
    // A setting for a route that is not there yet is refused.
    stage.node.addDependency(route)
  }
}

/** A function of the API is never handed an event without waiting, so that no event of it can get lost unanswered. */
export function acknowledgeSyncOnly(fn: IConstruct): void {
  Validations.of(fn).acknowledge({
    id: 'Serverless-LambdaDLQ',
    reason: 'Only the API calls it, and waits: who asked gets the error and asks again.',
  })
}
