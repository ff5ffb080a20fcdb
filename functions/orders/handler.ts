// Trigger: HTTP, the routes of routes.ts (orders, tasks, stock), called by the merchant's system.
// Reads: the order's file, tasks by the index find, stock. Writes: one transaction per request, conditional on what was read.
// On failure: Problem Details; after a 503 the same request may be sent again and is never carried out twice.

import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { type CodeKeys, readCodeKeys } from '../../modules/codes/code-keys.ts'
import { instantOf } from '../../modules/core/instant.ts'
import { bindPolicies } from '../../modules/core/task-policies.ts'
import { openApi } from '../../modules/http-api/open-api.ts'
import { openLedger } from '../../modules/ledger/table/client.ts'
import { openSecretCache } from '../../modules/runtime/secrets/secret-cache.ts'
import { openSecretTexts } from '../../modules/runtime/secrets/secret-texts.ts'
import { readSettings } from '../../modules/runtime/settings.ts'
import type { OrdersDeps } from './deps.ts'
import { ordersTable, ordersWords } from './operations.ts'
import { ordersSettings } from './settings.ts'

const settings = readSettings(ordersSettings)
const MINUTE_MS = 60_000
const CODE_KEYS = 'codeKeys'
const secretsManager = new SecretsManagerClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 500, requestTimeout: 2000, throwOnRequestTimeout: true },
})
const codeKeys = openSecretCache<CodeKeys>(
  openSecretTexts(secretsManager, Date.now),
  { [CODE_KEYS]: settings.CODE_KEYS_SECRET },
  (_id, text) => readCodeKeys(text),
  Date.now,
)

const deps: OrdersDeps = {
  ledger: openLedger(settings.LEDGER_TABLE),
  channels: new Map(settings.CHANNELS.map((account) => [account.id as string, account])),
  policies: bindPolicies(settings.POLICIES),
  closeAfterMs: settings.CLOSE_AFTER_MINUTES * MINUTE_MS,
  webhooks: new Set(Object.keys(settings.DELIVERY_INTERFACES)),
  codeKeys: { get: () => codeKeys.get(CODE_KEYS), refetch: () => codeKeys.refetch(CODE_KEYS) },
  now: () => instantOf(Date.now()),
}

export const handler = openApi(ordersTable, deps, ordersWords)
