import { Validations } from 'aws-cdk-lib'
import { HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { BackstopFunction } from './backstop-function.ts'
import type { StageConfig } from './config-schema.ts'
import { accountsJson } from './function-settings.ts'
import { grant } from './grant.ts'
import { acknowledgeSyncOnly, type BackstopApi } from './http-api.ts'
import type { Parameters } from './parameters.ts'
import type { Secrets } from './secrets.ts'

const PATH = '/callbacks/{channel}'
const ROUTE = `POST ${PATH}`

export interface IngressProps {
  readonly config: StageConfig
  readonly api: BackstopApi
  readonly parameters: Parameters
  readonly secrets: Secrets
  readonly callbackQueue: IQueue
}

/** Takes a channel's callback: the signature is its only key, so the route asks for no token. */
export class Ingress extends Construct {
  constructor(scope: Construct, id: string, { config, api, parameters, secrets, callbackQueue }: IngressProps) {
    super(scope, id)
    const { function: fn } = new BackstopFunction(this, 'Ingress', {
      folder: 'ingress',
      timeoutSeconds: 5,
      memoryMb: 512,
      logRetentionDays: config.logRetentionDays,
      tracing: config.tracing,
      environment: {
        CALLBACK_QUEUE_URL: callbackQueue.queueUrl,
        CHANNELS: accountsJson(config),
        CHANNEL_SECRETS: secrets.channelArnsJson,
        CHANNEL_ENDPOINTS: parameters.channelEndpoints.valueAsString,
      },
    })
    grant(fn, callbackQueue.queueArn, 'sqs:SendMessage')
    secrets.grantReadChannels(fn)
    const routes = api.api.addRoutes({
      path: PATH,
      methods: [HttpMethod.POST],
      integration: new HttpLambdaIntegration('Ingress', fn),
    })
    for (const route of routes) {
      const { callbacksPerSecond, callbackBurst } = config.api
      api.limitRoute(route, ROUTE, { perSecond: callbacksPerSecond, burst: callbackBurst })
      Validations.of(route).acknowledge({
        id: 'AwsSolutions-APIG4',
        reason: 'A channel has no token of ours: ingress checks its signature over the raw bytes before anything else.',
      })
    }
    acknowledgeSyncOnly(fn)
  }
}
