// Trigger: a schedule, every 10 hours; there only when a channel is of the kind wechatpay.
// Reads: each account's secret, WeChat Pay's list of certificates. Writes: the secret, only when a certificate is new or over.
// On failure: the other accounts go on, then the invocation fails: Lambda tries twice more, an alarm rings, ten hours later it begins anew.
// The keys held stay in force meanwhile, and no callback waits for any of it: ingress reads the secret as it is.
import { randomBytes } from 'node:crypto'
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type { ScheduledEvent } from 'aws-lambda'
import type { WechatpayAccount } from '../../modules/channels/account.ts'
import { atEndpoints } from '../../modules/channels/at-endpoints.ts'
import type { ClientDeps } from '../../modules/channels/client.ts'
import { sendRequest } from '../../modules/outgoing/http/send-request.ts'
import { openFrame } from '../../modules/runtime/frame/open-frame.ts'
import { readSettings, SettingError } from '../../modules/runtime/settings.ts'
import { errorFields, log } from '../../modules/runtime/telemetry/log.ts'
import { RefreshFailedError } from './errors.ts'
import { refreshAccount } from './refresh-account.ts'
import { openSecretStore } from './secret-store.ts'
import { certificatesSettings } from './settings.ts'

const settings = readSettings(certificatesSettings)
const accounts = atEndpoints(settings.CHANNELS, settings.CHANNEL_ENDPOINTS)
const arns = settings.CHANNEL_SECRETS
const client = new SecretsManagerClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 500, requestTimeout: 2000, throwOnRequestTimeout: true },
})
const deps: ClientDeps = { http: sendRequest, nowMs: Date.now, nonce: () => randomBytes(16).toString('hex') }

export const handler = openFrame<ScheduledEvent, void>().handler(refreshAll)

async function refreshAll(): Promise<void> {
  // Side by side: one that hangs takes no time from the others.
  const failed = (await Promise.all(accounts.map(refreshSafely))).filter((id) => id !== undefined)
  if (failed.length > 0) throw new RefreshFailedError(failed)
}

/** @returns the account's id when it was not refreshed */
async function refreshSafely(account: WechatpayAccount): Promise<string | undefined> {
  const { id } = account
  try {
    const result = await refreshAccount(account, storeOf(id), deps)
    log('INFO', 'WeChat Pay certificates looked at.', { channel: id, result })
    return undefined
  } catch (error) {
    log('ERROR', 'WeChat Pay certificates could not be refreshed.', { channel: id, ...errorFields(error) })
    return id
  }
}

/** @throws SettingError when the construct named no secret for the account */
function storeOf(id: string) {
  const arn = arns[id]
  if (arn === undefined) throw new SettingError(`CHANNEL_SECRETS has nothing for '${id}'. Deploy the stack again.`)
  return openSecretStore(client, arn)
}
