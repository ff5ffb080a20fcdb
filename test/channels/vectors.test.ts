import { describe, expect, it } from 'vitest'
import type { ChannelAccount } from '../../modules/channels/account.ts'
import { parserOf } from '../../modules/channels/parsers.ts'
import { verifierOf } from '../../modules/channels/verifiers.ts'
import { parseChannelId, parseOutTradeNo } from '../../modules/core/ids.ts'
import type { SendRequest } from '../../modules/outgoing/http/send-request.ts'
import { KINDS, REASONS, readVectors, receivedAtOf, requestsOf, type VectorCase } from './vector-cases.ts'

type Config = Readonly<Record<string, unknown>>
interface Setup {
  readonly account: ChannelAccount
  readonly secret: string
  /** What the addresses of the message would serve, for a channel that fetches its key. */
  readonly served?: Readonly<Record<string, string>>
}

const id = parseChannelId('under-test') ?? expect.unreachable()

const SETUPS: Readonly<Record<string, (config: Config) => Setup>> = {
  stripe: (config) => ({
    account: { kind: 'stripe', id, livemode: config['livemode'] === true },
    secret: JSON.stringify({ signingSecrets: config['secrets'] }),
  }),
  'standard-webhooks': (config) => ({
    account: {
      kind: 'standard-webhooks',
      id,
      scheme: Array.isArray(config['secrets']) && config['secrets'].length > 0 ? 'v1' : 'v1a',
      mapping: {
        type: 'type',
        outTradeNo: 'data.order_no',
        channelTxnId: 'data.transaction_id',
        amount: 'data.amount',
        currency: 'data.currency',
        unit: 'minor',
        types: { payment: ['payment.succeeded'] },
      },
    },
    secret: JSON.stringify({ secrets: config['secrets'], publicKeys: config['public_keys'] }),
  }),
  alipay: (config) => ({
    account: { kind: 'alipay', id, appId: String(config['app_id']), sellerId: String(config['seller_id']) },
    secret: JSON.stringify({ alipayPublicKeys: [config['alipay_public_key_pem']] }),
  }),
  wechatpay: (config) => ({
    account: { kind: 'wechatpay', id, appId: String(config['appid']), mchId: String(config['mchid']) },
    secret: JSON.stringify({ apiV3Keys: [config['apiv3_key']], platformKeys: config['keys'] }),
  }),
  adyen: (config) => ({
    account: {
      kind: 'adyen',
      id,
      merchantAccounts: config['merchant_accounts'] as string[],
      live: config['live'] === 'true',
    },
    secret: JSON.stringify({ hmacKeys: config['hmac_keys'] }),
  }),
  paypal: (config) => ({
    account: {
      kind: 'paypal',
      id,
      webhookId: String(config['webhook_id']),
      sandbox: false,
      certRootPems: [String(config['cert_chain_root_pem'])],
    },
    secret: '{}',
    served: config['cert_by_url'] as Record<string, string>,
  }),
}

describe.each(Object.entries(SETUPS))('published and generated messages: %s', (channel, setUp) => {
  const { config, cases } = readVectors(channel)
  const judged = cases.filter((vector) => typeof vector.expect.accept === 'boolean')
  const messages = judged.flatMap((vector) =>
    requestsOf(vector).map(([way, request]) => ({ name: `${vector.id}, ${way}`, vector, request })),
  )

  it.each(messages)('$name', async ({ vector, request }) => {
    const { account, secret, served } = setUp({ ...config, ...vector.config_override })
    const verifier = verifierOf(account, { http: serving(served ?? {}), nowMs: () => vector.now * 1000 })
    await verifier.prepare?.(request)

    const verification = verifier.openKeys(secret)(request, receivedAtOf(vector))

    if (vector.expect.accept !== true) {
      expect(verification).toMatchObject({ ok: false, reason: REASONS[vector.expect.reason ?? ''] })
      expect(vector.expect.ack_status ?? [verifier.refusal.status]).toContain(verifier.refusal.status)
      return
    }
    if (!verification.ok) expect.unreachable(`refused: ${verification.reason}`)
    expect(vector.expect.ack_status ?? [200]).toContain(verifier.ack.status)
    expect(verifier.ack.body).toBe(vector.expect.ack_body ?? verifier.ack.body)
    const parsed = parserOf(account).openKeys(secret)(verification.verified)
    if (channel === 'adyen') expectItems(vector, parsed)
    else expectParsed(channel, vector, parsed)
  })
})

function serving(served: Readonly<Record<string, string>>): SendRequest {
  return async ({ url }) => {
    const text = served[url.href]
    return { kind: 'answer', status: text === undefined ? 404 : 200, headers: {}, body: Buffer.from(text ?? '') }
  }
}

/** One event per notice; amounts are compared in ISO minor units. */
function expectItems({ expect: { items } }: VectorCase, parsed: unknown): void {
  expect(parsed).toMatchObject({
    ok: true,
    // The published examples have no wish beside their signature.
    events: items?.map((item) => ({
      kind: KINDS[item.status] ?? 'other',
      trust: 'fact',
      // A reference that no order of ours can have is left out, and the money is an orphan's.
      ...(item.status === 'authorised' && outTradeNoOf(item.merchant_order_no ?? '')),
      ...(item.channel_transaction_id !== undefined && { channelTxnId: item.channel_transaction_id }),
      ...(item.channel_refund_id !== undefined && { channelRefundId: item.channel_refund_id }),
      ...(KINDS[item.status] !== undefined && {
        money: {
          amount: item.currency === 'ISK' ? Number(item.amount_decimal) : item.amount_minor,
          currency: item.currency,
        },
      }),
    })) ?? [expect.anything()],
  })
}

function outTradeNoOf(text: string): object {
  const outTradeNo = parseOutTradeNo(text)
  return outTradeNo === undefined ? {} : { outTradeNo }
}

function isUntyped({ id }: VectorCase): boolean {
  return id === 'stripe-valid-suite-payload'
}

function expectParsed(channel: string, vector: VectorCase, parsed: unknown): void {
  const wanted = vector.expect.parsed ?? {}
  const isRefund = wanted.status?.startsWith('refund') === true
  const amount = wanted.refunded_total_minor ?? wanted.amount_minor
  expect(parsed).toMatchObject({
    ok: true,
    events: [
      // A notice of Alipay about a refund tells of the payment as well.
      ...(isRefund && channel === 'alipay' ? [{ kind: 'payment' }] : []),
      {
        // Some published examples are of types that no table or mapping of ours lists, or of none.
        kind:
          KINDS[wanted.status ?? ''] ?? (channel === 'standard-webhooks' || isUntyped(vector) ? 'unknown' : 'other'),
        // What PayPal signs can be altered under its signature.
        trust: channel === 'paypal' ? 'hint' : 'fact',
        // Alipay's notices are filed by what they say, not by notify_id.
        ...(wanted.event_id !== undefined && channel !== 'alipay' && { eventId: wanted.event_id }),
        ...(wanted.merchant_order_no !== undefined && !isRefund && { outTradeNo: wanted.merchant_order_no }),
        ...(wanted.channel_transaction_id !== undefined && { channelTxnId: wanted.channel_transaction_id }),
        ...(wanted.channel_refund_id !== undefined && { channelRefundId: wanted.channel_refund_id }),
        ...(amount !== undefined && { money: { amount, currency: wanted.currency ?? expect.any(String) } }),
        ...(wanted.paid_at !== undefined && { paidAt: wanted.paid_at.replace('Z', '.000Z') }),
        ...(wanted.refunded_total_minor !== undefined && { cumulative: true }),
      },
    ],
  })
}
