import { X509Certificate } from 'node:crypto'
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type { ChannelAccount } from '../../modules/channels/account.ts'
import { clientOf } from '../../modules/channels/clients.ts'
import { verifierOf } from '../../modules/channels/verifiers.ts'
import { readSigningKeys } from '../../modules/outgoing/webhook/sign-webhook.ts'
import { type Finding, fault, faultOf, findSafely, notChecked, ok } from './finding.ts'
import type { Target } from './target.ts'

const DAY_MS = 86_400_000
/** A channel's new certificate takes days to get; sooner than this somebody should begin. */
const SOON_MS = 30 * DAY_MS

const FILL = 'fill the secret; docs/deploy.md, "Fill the secrets"'

/** Fields that callbacks do not need and questions do, by kind of channel. */
const FOR_ASKING: Readonly<Record<ChannelAccount['kind'], readonly string[]>> = {
  stripe: ['apiKey'],
  'standard-webhooks': [],
  alipay: ['appPrivateKey'],
  wechatpay: ['merchantSerial', 'merchantPrivateKey'],
  adyen: ['apiKey'],
  paypal: ['clientId', 'clientSecret'],
}

/** Each channel's secret and the merchant's: there, of its form, its certificates in force. Names fields, never values. */
export async function checkSecrets({ config, outputs, secretsManager }: Target, nowMs: number): Promise<Finding[]> {
  const arns: unknown = JSON.parse(outputs['ChannelSecrets'] ?? '{}')
  const channels = config.channels.map(async ({ account }): Promise<Finding[]> => {
    const about = `secret of ${account.id}`
    const text = await readSecret(secretsManager, about, textAt(arns, account.id))
    return typeof text === 'string' ? judgeChannel(about, account, text, nowMs) : [text]
  })
  return [...(await Promise.all(channels)).flat(), await checkMerchant(secretsManager, outputs['MerchantSecret'])]
}

function judgeChannel(about: string, account: ChannelAccount, text: string, nowMs: number): Finding[] {
  try {
    verifierOf(account).openKeys(text)
    clientOf(account).openKeys(text)
  } catch (error) {
    return [faultOf(about, error, FILL)]
  }
  const fields: unknown = JSON.parse(text)
  const missing = FOR_ASKING[account.kind].filter((name) => textAt(fields, name) === undefined)
  return [
    ok(about, 'of its form'),
    ...(missing.length === 0
      ? []
      : [notChecked(`questions to ${account.id}`, `not possible without ${missing.join(', ')}`, FILL)]),
    ...certificatesIn({ fields, account }).map((pem) => judgeCertificate(`certificate of ${account.id}`, pem, nowMs)),
  ]
}

function judgeCertificate(about: string, pem: string, nowMs: number): Finding {
  const { validFromDate, validToDate, serialNumber } = new X509Certificate(pem)
  const seen = `serial …${serialNumber.slice(-8)}, until ${validToDate.toISOString().slice(0, 10)}`
  const hint = 'put the new one in beside it, and the old one out when nothing names it any more'
  if (nowMs < validFromDate.getTime()) return fault(about, `${seen}, not in force yet`, hint)
  if (nowMs > validToDate.getTime()) return fault(about, `${seen}, expired`, hint)
  return nowMs + SOON_MS > validToDate.getTime() ? fault(about, `${seen}, expires soon`, hint) : ok(about, seen)
}

async function checkMerchant(client: SecretsManagerClient, arn: string | undefined): Promise<Finding> {
  const about = 'secret that signs to the merchant'
  const text = await readSecret(client, about, arn)
  if (typeof text !== 'string') return text
  return findSafely(about, FILL, async () => {
    readSigningKeys(text)
    return ok(about, 'of its form')
  })
}

async function readSecret(
  client: SecretsManagerClient,
  about: string,
  arn: string | undefined,
): Promise<string | Finding> {
  if (arn === undefined) return fault(about, 'is not in the outputs', 'deploy the stage that has this channel')
  try {
    const { SecretString = '' } = await client.send(new GetSecretValueCommand({ SecretId: arn }))
    return SecretString === '' ? fault(about, 'is empty', FILL) : SecretString
  } catch (error) {
    const isEmpty = error instanceof Error && error.name === 'ResourceNotFoundException'
    return isEmpty ? fault(about, 'was never filled', FILL) : faultOf(about, error, 'may you read it, in this Region?')
  }
}

/** Every PEM certificate among the texts of a value, however deep; a bundle counts with its first. */
function certificatesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.includes('BEGIN CERTIFICATE') ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(certificatesIn)
}

function textAt(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const found: unknown = Object.entries(value).find(([key]) => key === name)?.[1]
  return typeof found === 'string' && found !== '' ? found : undefined
}
