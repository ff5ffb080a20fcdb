import { HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { Construct } from 'constructs'
import { BackstopFunction } from './backstop-function.ts'
import type { StageConfig } from './config-schema.ts'
import { accountsJson, policiesJson } from './function-settings.ts'
import type { BackstopApi } from './http-api.ts'
import { type Identity, scopes } from './identity.ts'
import type { Ledger } from './ledger.ts'

const routes = [
  { method: HttpMethod.PUT, path: '/orders/{orderNo}', scope: scopes.ordersWrite },
  { method: HttpMethod.GET, path: '/orders/{orderNo}', scope: scopes.ordersRead },
  { method: HttpMethod.POST, path: '/orders/{orderNo}/payments', scope: scopes.ordersWrite },
  { method: HttpMethod.PATCH, path: '/orders/{orderNo}/payments/{outTradeNo}', scope: scopes.ordersWrite },
] as const

export interface OrdersProps {
  readonly config: StageConfig
  readonly api: BackstopApi
  readonly identity: Identity
  readonly ledger: Ledger
}

/** What the merchant calls: to have an order watched, to announce a payment before making it, to ask. */
export class Orders extends Construct {
  constructor(scope: Construct, id: string, { config, api, identity, ledger }: OrdersProps) {
    super(scope, id)
    const { function: fn } = new BackstopFunction(this, 'Orders', {
      folder: 'orders',
      timeoutSeconds: 15,
      memoryMb: 512,
      logRetentionDays: config.logRetentionDays,
      environment: {
        LEDGER_TABLE: ledger.table.tableName,
        CHANNELS: accountsJson(config),
        POLICIES: policiesJson(config),
        CLOSE_AFTER_MINUTES: String(config.closeAfterMinutes),
      },
    })
    ledger.grantItems(fn, 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem')
    const integration = new HttpLambdaIntegration('Orders', fn)
    for (const route of routes) {
      api.api.addRoutes({
        path: route.path,
        methods: [route.method],
        integration,
        authorizer: identity.authorizer,
        authorizationScopes: [route.scope],
      })
    }
  }
}
