import { HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { Construct } from 'constructs'
import { routeList } from '../functions/orders/routes.ts'
import { BackstopFunction } from './backstop-function.ts'
import type { StageConfig } from './config-schema.ts'
import { accountsJson, policiesJson } from './function-settings.ts'
import { acknowledgeSyncOnly, type BackstopApi } from './http-api.ts'
import { type Identity, scopeOf } from './identity.ts'
import type { Ledger } from './ledger.ts'
import type { Parameters } from './parameters.ts'
import type { Secrets } from './secrets.ts'

export interface OrdersProps {
  readonly config: StageConfig
  readonly api: BackstopApi
  readonly identity: Identity
  readonly ledger: Ledger
  readonly parameters: Parameters
  readonly secrets: Secrets
}

/**
 * What the merchant calls: to have an order watched, to announce a payment before making it, to count stock, to ask. The routes
 * are those of the table.
 */
export class Orders extends Construct {
  constructor(scope: Construct, id: string, { config, api, identity, ledger, parameters, secrets }: OrdersProps) {
    super(scope, id)
    const { function: fn } = new BackstopFunction(this, 'Orders', {
      folder: 'orders',
      timeoutSeconds: 15,
      memoryMb: 512,
      logRetentionDays: config.logRetentionDays,
      tracing: config.tracing,
      environment: {
        LEDGER_TABLE: ledger.table.tableName,
        CHANNELS: accountsJson(config),
        POLICIES: policiesJson(config),
        CLOSE_AFTER_MINUTES: String(config.closeAfterMinutes),
        DELIVERY_INTERFACES: parameters.deliveryInterfaces.valueAsString,
        CODE_KEYS_SECRET: secrets.codeKeysArn,
      },
    })
    ledger.grantItems(fn, 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem')
    ledger.grantQueryFind(fn)
    secrets.grantReadCodeKeys(fn)
    acknowledgeSyncOnly(fn)
    const integration = new HttpLambdaIntegration('Orders', fn)
    for (const { method, path, scope } of routeList) {
      api.api.addRoutes({
        path,
        methods: [HttpMethod[method]],
        integration,
        authorizer: identity.authorizer,
        authorizationScopes: [scopeOf(scope)],
      })
    }
  }
}
