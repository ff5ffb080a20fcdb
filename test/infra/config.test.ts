import { expect, it } from 'vitest'
import { parseConfig } from '../../infra/config.ts'
import { checkEnvironmentSize } from '../../infra/environment-size.ts'
import { ConfigError } from '../../infra/errors.ts'
import { localConfig } from '../../infra/local-config.ts'
import { CONNECT_TIMEOUT_MS, TOTAL_TIMEOUT_MS } from '../../modules/outgoing/webhook/send-webhook.ts'
import { exampleConfig } from './example.ts'

const prod = exampleConfig()
const minute = 60_000

const [stripe] = prod.channels
if (stripe === undefined) throw new TypeError('The sample has no channel.')

const refusals: readonly { readonly title: string; readonly change: object; readonly says: string }[] = [
  {
    title: 'an unknown setting',
    change: { closeAfterMinuets: 15 },
    says: 'Unrecognized key: "closeAfterMinuets"',
  },
  {
    title: 'a channel given twice',
    change: { channels: [stripe, stripe] },
    says: 'channels: the id "stripe" is given twice',
  },
  {
    title: "a channel with the name of one of Backstop's lanes",
    change: { channels: [withAccount({ id: 'merchant' })] },
    says: 'channels: the id "merchant" is the name of a lane',
  },
  {
    title: 'a channel id that cannot stand in a key',
    change: { channels: [withAccount({ id: 'Stripe#1' })] },
    says: 'channels.0.account.id: "Stripe#1" is no channel id',
  },
  {
    title: 'an Alipay app id that is none',
    change: {
      channels: [
        { account: { id: 'alipay', kind: 'alipay', appId: '1', sellerId: '2088000000000000' }, maxConcurrency: 5 },
      ],
    },
    says: 'channels.0.account.appId: must be an Alipay app id',
  },
  {
    title: 'a channel called in the clear',
    change: { channels: [withAccount({ apiBase: 'http://api.example.com' })] },
    says: 'channels.0.account.apiBase: must be an https address',
  },
  {
    title: "a PayPal account that trusts the simulator's root",
    change: { channels: localConfig().channels.filter(({ account }) => account.kind === 'paypal') },
    says: `channels: "paypal" trusts the simulator's root`,
  },
  {
    title: 'a delivery in the clear',
    change: { merchant: { ...prod.merchant, deliveryUrl: 'http://shop.example.com' } },
    says: 'merchant.deliveryUrl: http://shop.example.com is not https',
  },
  {
    title: 'a named delivery in the clear',
    change: { merchant: { ...prod.merchant, interfaces: { backup: 'http://shop.example.com' } } },
    says: 'merchant.interfaces.backup: http://shop.example.com is not https',
  },
  {
    title: 'a delivery of no usable name',
    change: { merchant: { ...prod.merchant, interfaces: { 'Back up': 'https://shop.example.com' } } },
    says: 'merchant.interfaces.Back up: is no name of small letters, digits and -',
  },
  {
    title: 'a private origin with a path',
    change: { privateOrigins: ['http://10.0.0.5/orders'] },
    says: 'privateOrigins.0: "http://10.0.0.5/orders" is no exact origin',
  },
  {
    title: 'a worker that ends before its calls',
    change: { work: { timeoutSeconds: 30 } },
    says: 'work.timeoutSeconds: 30 s must be longer than all calls of a task together',
  },
  {
    title:
      'a worker that ends before the slowest closing of an order: 3 s, then three questions of 12 s, with 2 s for each slot',
    change: { work: { timeoutSeconds: 47 } },
    says: 'work.timeoutSeconds: 47 s must be longer than all calls of a task together (47000 ms)',
  },
  {
    title: 'a lease that ends before its worker',
    change: { policies: { REFUND: { leaseMs: 60_000 } } },
    says: 'policies.REFUND.leaseMs: 60000 must be longer than work.timeoutSeconds',
  },
  {
    title: 'a lease that outlives the visibility of its message',
    change: { policies: { 'REFUND/stripe': { leaseMs: 360_000 } } },
    says: 'policies.REFUND/stripe.leaseMs: 360000 must be shorter than the visibility',
  },
  {
    title: 'a ladder of steps longer than its total time',
    change: {
      policies: { DELIVER: { ladder: { kind: 'steps', stepsMs: [50 * minute, 50 * minute] }, totalMs: 100 * minute } },
    },
    says: 'policies.DELIVER: the ladder needs 6600000 ms (jitter included) but the total time limit is 6000000 ms',
  },
  {
    title: 'an exponential ladder longer than its total time',
    change: {
      policies: {
        REFUND: { ladder: { kind: 'exponential', baseMs: minute, factor: 2, capMs: 600 * minute, retries: 10 } },
      },
    },
    says: 'policies.REFUND: the ladder needs',
  },
  {
    title: 'a linear ladder longer than its total time',
    change: { policies: { REFUND: { ladder: { kind: 'linear', stepMs: minute, retries: 30 } } } },
    says: 'policies.REFUND: the ladder needs',
  },
  {
    title: 'a policy for no task type',
    change: { policies: { REFOUND: { totalMs: 1 } } },
    says: 'policies.REFOUND:',
  },
  {
    title: 'a policy for a channel that is not configured',
    change: { policies: { 'REFUND/alipay-hk': { totalMs: 360 * minute } } },
    says: 'policies.REFUND/alipay-hk: names no configured channel',
  },
  {
    title: 'a task that would end in silence',
    change: { policies: { REFUND: { exhausted: 'CLOSED' } } },
    says: 'policies.REFUND.exhausted: CLOSED would drop the task in silence',
  },
  {
    title: 'an order that closes before the channel was asked',
    change: { closeAfterMinutes: 2 },
    says: 'closeAfterMinutes: 2 is too short',
  },
  {
    title: 'an order that stays open after its watch has ended',
    change: { closeAfterMinutes: 3 * 24 * 60 },
    says: 'closeAfterMinutes: 4320 must end before QUERY_PAYMENT gives up',
  },
  {
    title: 'a receive limit below five',
    change: { queues: { ...prod.queues, maxReceiveCount: 4 } },
    says: 'queues.maxReceiveCount: 4 is below 5',
  },
  {
    title: 'receives that last longer than the queue keeps a message',
    change: { queues: { retentionHours: 1, maxReceiveCount: 10 } },
    says: 'queues.retentionHours: the receive ladder (3600000 ms) is longer than the retention',
  },
  {
    title: 'a queue that keeps messages as long as its dead letters',
    change: { queues: { ...prod.queues, retentionHours: 336 } },
    says: 'queues.retentionHours: 336 must be below the 336 h of the dead-letter queue',
  },
  {
    title: 'stream retries that outlast the stream',
    change: { streams: { ...prod.streams, maxRecordAgeHours: 24 } },
    says: 'streams.maxRecordAgeHours: the retry ladder of 24 h is longer than the stream keeps a record',
  },
  {
    title: 'one batch at a time, which SQS cannot do',
    change: { settle: { maxConcurrency: 1 } },
    says: 'settle.maxConcurrency:',
  },
  {
    title: 'a log period that CloudWatch does not know',
    change: { logRetentionDays: 91 },
    says: 'logRetentionDays: must be a number of days that CloudWatch Logs knows',
  },
]

it.for(refusals)('$title is refused in a sentence that names the setting', ({ change, says }) => {
  const refused = refusalOf({ ...prod, ...change })

  expect(refused).toContain(says)
})

it('each fault gets its own sentence', () => {
  const refused = refusalOf({ ...prod, closeAfterMinutes: 1, queues: { ...prod.queues, maxReceiveCount: 1 } })

  expect(refused.split('\n')).toHaveLength(2)
})

it('the stages as committed are accepted', () => {
  expect(localConfig().channels.map(({ account }) => account.id)).toEqual([
    'stripe',
    'partner',
    'alipay',
    'wechatpay',
    'adyen',
    'paypal',
  ])
  expect(prod.closeAfterMinutes).toBe(15)
})

it('the local stage may deliver in the clear', () => {
  expect(localConfig().merchant.deliveryUrl).toBe('http://127.0.0.1:9')
})

it('a call takes ten seconds at most, two of them to connect', () => {
  expect(TOTAL_TIMEOUT_MS).toBeLessThanOrEqual(10_000)
  expect(CONNECT_TIMEOUT_MS).toBeLessThanOrEqual(2_000)
})

it('an environment beyond 4,096 bytes is refused with its function and size', () => {
  const [sentence] = checkEnvironmentSize('work', { CHANNELS: 'x'.repeat(4096) }, {})

  expect(sentence).toContain('work: its environment may have about 4104 bytes of 4096')
  expect(checkEnvironmentSize('work', { CHANNELS: 'x'.repeat(4088) }, {})).toEqual([])
})

function withAccount(change: object): object {
  return { ...stripe, account: { id: 'stripe', kind: 'stripe', livemode: true, ...change } }
}

/** Settings as read back are valid settings, so each case changes one thing of a stage that is accepted. */
function refusalOf(settings: object): string {
  try {
    parseConfig(settings)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new TypeError('The settings were accepted.')
}
