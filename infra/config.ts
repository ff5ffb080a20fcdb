import type { z } from 'zod'
import { checkConfig } from './check-config.ts'
import { type StageConfig, type StageInput, stageSchema } from './config-schema.ts'
import { ConfigError } from './errors.ts'
import { SIMULATOR_ROOT_PEM } from './simulator-root.ts'

export type Stage = 'local' | 'prod'

/** What both stages share; a stage lists what it decides itself. */
const usual = {
  internal: { maxConcurrency: 5 },
  settle: { maxConcurrency: 20 },
  closeAfterMinutes: 15,
  policies: {},
  work: { timeoutSeconds: 60 },
  queues: { retentionHours: 96, maxReceiveCount: 5 },
  streams: { retryAttempts: 20, maxRecordAgeHours: 6, parallelization: 2 },
  api: { requestsPerSecond: 500, burst: 1000 },
  auth: { kind: 'cognito' },
  logRetentionDays: 90,
  tracing: false,
  alarmEmail: '',
  privateOrigins: [],
} as const satisfies Partial<StageInput>

/** The one record of each stage. `prod` is a sample: a merchant replaces its accounts and addresses by his own. */
const stages: Record<Stage, StageInput> = {
  local: {
    ...usual,
    channels: [
      { account: { id: 'stripe', kind: 'stripe', livemode: false }, maxConcurrency: 5 },
      { account: partnerAccount(), maxConcurrency: 5 },
      {
        account: { id: 'alipay', kind: 'alipay', appId: '2026000100010001', sellerId: '2088000000000001' },
        maxConcurrency: 5,
      },
      {
        account: { id: 'wechatpay', kind: 'wechatpay', appId: 'wx0000000000000001', mchId: '1900000001' },
        maxConcurrency: 5,
      },
      { account: { id: 'adyen', kind: 'adyen', merchantAccounts: ['BackstopLocal'], live: false }, maxConcurrency: 5 },
      {
        account: {
          id: 'paypal',
          kind: 'paypal',
          webhookId: '8PT597110X687430LKGECATA',
          sandbox: true,
          merchantId: 'BACKSTOPLOCAL1',
          certRootPems: [SIMULATOR_ROOT_PEM],
        },
        maxConcurrency: 5,
      },
    ],
    // Port 9 discards: until the local host names its own merchant, nothing is delivered anywhere.
    merchant: { deliveryUrl: 'http://127.0.0.1:9', maxConcurrency: 5 },
  },
  prod: {
    ...usual,
    channels: [
      { account: { id: 'stripe', kind: 'stripe', livemode: true }, maxConcurrency: 5 },
      { account: partnerAccount(), maxConcurrency: 5 },
      {
        account: { id: 'alipay', kind: 'alipay', appId: '2021000000000000', sellerId: '2088000000000000' },
        maxConcurrency: 5,
      },
      {
        account: { id: 'wechatpay', kind: 'wechatpay', appId: 'wx0000000000000000', mchId: '1900000000' },
        maxConcurrency: 5,
      },
    ],
    merchant: { deliveryUrl: 'https://shop.example.com/backstop/deliveries', maxConcurrency: 10 },
  },
}

/** The stage that `cdk -c stage=…` names; `prod` without one. @throws ConfigError when it is neither */
export function stageNameOf(context: unknown): Stage {
  if (context === undefined || context === 'prod') return 'prod'
  if (context === 'local') return 'local'
  throw new ConfigError(`stage: "${String(context)}" is none of ${Object.keys(stages).join(', ')}.`)
}

/**
 * The settings of a stage, validated.
 * @throws ConfigError with one sentence per fault, each naming the setting
 */
export function readStage(stage: Stage): StageConfig {
  return parseStage(stage, stages[stage])
}

/** As `readStage`, for settings at hand. @throws ConfigError likewise */
export function parseStage(stage: Stage, settings: unknown): StageConfig {
  const parsed = stageSchema.safeParse(settings)
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map((issue) => sentenceOf(stage, issue)).join('\n'))
  const faults = checkConfig(parsed.data, stage === 'local')
  if (faults.length > 0) throw new ConfigError(faults.map((fault) => `${stage}.${fault}`).join('\n'))
  return parsed.data
}

function sentenceOf(stage: Stage, issue: z.core.$ZodIssue): string {
  return `${[stage, ...issue.path.map(String)].join('.')}: ${issue.message}.`
}

function partnerAccount(): StageInput['channels'][number]['account'] {
  return {
    id: 'partner',
    kind: 'standard-webhooks',
    scheme: 'v1',
    mapping: {
      type: 'type',
      outTradeNo: 'data.order_no',
      channelTxnId: 'data.transaction_id',
      amount: 'data.amount',
      currency: 'data.currency',
      paidAt: 'timestamp',
      unit: 'minor',
      types: {
        payment: ['payment.succeeded'],
        failed: ['payment.failed'],
        closed: ['payment.closed'],
        refund: ['payment.refunded'],
        dispute: ['payment.disputed'],
      },
    },
  }
}
