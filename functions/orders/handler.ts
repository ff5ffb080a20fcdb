// Trigger: HTTP, PUT and GET /orders/{orderNo}, POST and PATCH of its payments, called by the merchant's system.
// Reads: the order's file. Writes: one transaction per request, conditional on what was read.
// On failure: Problem Details; after a 503 the same request may be sent again and is never carried out twice.
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { ChannelAccount } from '../channels/account.ts'
import { instantOf } from '../core/instant.ts'
import type { PolicyOverrides } from '../core/task-policies.ts'
import { openLedger } from '../ledger/client.ts'
import { jsonSetting, setting } from '../settings.ts'
import type { OrdersDeps } from './deps.ts'
import { type OrdersEvent, route } from './route.ts'

const MINUTE_MS = 60_000

const deps: OrdersDeps = {
  ledger: openLedger(setting('LEDGER_TABLE')),
  channels: new Map(
    jsonSetting<readonly ChannelAccount[]>('CHANNELS').map((account) => [account.id as string, account]),
  ),
  overrides: jsonSetting<PolicyOverrides>('POLICIES'),
  closeAfterMs: jsonSetting<number>('CLOSE_AFTER_MINUTES') * MINUTE_MS,
  now: () => instantOf(Date.now()),
}

export function handler(event: OrdersEvent): Promise<APIGatewayProxyStructuredResultV2> {
  return route(event, deps)
}
