import { createSign } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { PaypalAccount } from '../../../modules/channels/account.ts'
import type { CallbackRequest, Parsed, Verification } from '../../../modules/channels/channel.ts'
import { parsePaypal } from '../../../modules/channels/paypal/parse.ts'
import { verifierOf } from '../../../modules/channels/verifiers.ts'
import type { SendRequest } from '../../../modules/outgoing/http/send-request.ts'
import { anAnswer, NOW_MS } from '../client-setup.ts'
import { CHANNEL, NOW, requestOf, verifiedOf } from '../message-setup.ts'
import { issueCertificate } from './test-certificate.ts'

export const ROOT = issueCertificate({ name: 'root', ca: true })
export const LEAF = issueCertificate({ name: 'paypal', issuer: ROOT })
export const CERTIFICATE_URL = 'https://api.paypal.com/v1/notifications/certs/CERT-1'
export const ACCOUNT: PaypalAccount = {
  kind: 'paypal',
  id: CHANNEL,
  webhookId: 'WEBHOOK1',
  sandbox: false,
  merchantId: 'MERCHANT1',
  certRootPems: [ROOT.pem],
}

export const CAPTURE = {
  id: 'CAPTURE1',
  status: 'COMPLETED',
  amount: { currency_code: 'USD', value: '88.00' },
  custom_id: 'ORDER_0001',
  invoice_id: 'INVOICE-1',
  create_time: '2026-11-02T01:59:52Z',
  update_time: '2026-11-02T01:59:59Z',
}

export function anEvent(type: string, resource: unknown = CAPTURE): string {
  return JSON.stringify({ id: 'WH-1', event_type: type, create_time: '2026-11-02T01:59:55Z', resource })
}

/** A request signed by the described rule: id, time, webhook id and the CRC-32 of the raw body. */
export function signEvent(
  body: string | Buffer,
  time = '2026-11-02T01:59:57Z',
  id = 'TRANSMISSION-1',
): CallbackRequest {
  const signed = `${id}|${time}|${ACCOUNT.webhookId}|${crc32(body)}`
  return requestOf(
    {
      'paypal-transmission-id': id,
      'paypal-transmission-time': time,
      'paypal-transmission-sig': createSign('sha256').update(signed).sign(LEAF.privateKey, 'base64'),
      'paypal-cert-url': CERTIFICATE_URL,
      'paypal-auth-algo': 'SHA256withRSA',
    },
    body,
  )
}

export async function verify(
  request: CallbackRequest,
  account: PaypalAccount = ACCOUNT,
  http: SendRequest = async () => anAnswer(200, LEAF.pem),
): Promise<Verification> {
  const verifier = verifierOf(account, { http, nowMs: () => NOW_MS })
  await verifier.prepare?.(request)
  return verifier.openKeys('{}')(request, NOW)
}

export async function parse(type: string, resource: unknown = CAPTURE): Promise<Parsed> {
  return parsePaypal(verifiedOf(await verify(signEvent(anEvent(type, resource)))), ACCOUNT, {})
}
