import { z } from 'zod'
import { type NoticeType, noticeTypes } from '../modules/core/notice.ts'
import { taskTypes } from '../modules/core/task-policies.ts'
import { accountSchema } from './channel-schema.ts'

const ms = z.number().int().min(0)
const retries = z.number().int().min(1).max(1000)

const ladder = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('steps'),
    stepsMs: z.array(ms).max(100).readonly(),
    thenEveryMs: ms.min(1000).exactOptional(),
  }),
  z.strictObject({
    kind: z.literal('exponential'),
    baseMs: ms.min(1000),
    factor: z.number().min(1).max(10),
    capMs: ms.min(1000),
    retries,
  }),
  z.strictObject({ kind: z.literal('linear'), stepMs: ms.min(1000), retries }),
])

const policyOverride = z.strictObject({
  ladder: ladder.exactOptional(),
  totalMs: ms.exactOptional(),
  leaseMs: ms.exactOptional(),
  exhausted: z.enum(['MANUAL', 'CLOSED']).exactOptional(),
})

const policyKey = z.string().refine((key) => taskTypes.some((type) => type === key.split('/')[0]), {
  error: (issue) => `"${String(issue.input)}" names no task type`,
})

const figure = z.number().min(0).exactOptional()
/** What differs from `modules/core/gate/config.ts`; the rules between the figures are checked with all settings. */
const gateOverride = z.strictObject({
  startPerS: figure,
  minPerS: figure,
  maxPerS: figure,
  raisePerS: figure,
  headroomShare: figure,
  burstMs: figure,
  slowMs: figure,
  windowMs: figure,
  minCalls: figure,
  failureShare: figure,
  openMs: figure,
  probes: figure,
  pauseMs: figure,
})

/** SQS lets an event source mapping run 2 to 1,000 batches at once. */
const maxConcurrency = z.number().int().min(2).max(1000)

const origin = z.string().refine(isOrigin, {
  error: (issue) => `"${String(issue.input)}" is no exact origin such as http://10.0.0.5:8080`,
})

const auth = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('cognito') }),
  z.strictObject({
    kind: z.literal('oidc'),
    issuer: z.url({ protocol: /^https$/, error: 'must be an https address' }),
    audience: z.string().min(1),
  }),
])

/** Retention periods that CloudWatch Logs knows, in days. */
const logRetentionDays = z.union(
  [30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653].map((days) => z.literal(days)),
  { error: 'must be a number of days that CloudWatch Logs knows, 30 to 3653' },
)

/** What a merchant learns of in no other way: a paid order's delivery tells him of the usual ones. */
const exceptional: readonly NoticeType[] = [
  'order.closed',
  'payment.late',
  'payment.surplus',
  'payment.mismatched',
  'payment.orphan',
  'refund.created',
]

/** Everything that a stage decides. Strict: a misspelt setting is refused, not ignored. */
export const stageSchema = z.strictObject({
  channels: z.array(z.strictObject({ account: accountSchema, maxConcurrency })).min(1),
  merchant: z.strictObject({
    /** Where goods and notices are delivered; the default of the parameter DeliveryUrl. */
    deliveryUrl: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
    /** Further webhooks by name, which skus may name as ways of delivery; the default of the parameter DeliveryInterfaces. */
    interfaces: z
      .record(
        z.string().regex(/^[a-z][a-z0-9-]{0,23}$/),
        z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
        { error: (issue) => (issue.code === 'invalid_key' ? 'is no name of small letters, digits and -' : undefined) },
      )
      .default({}),
    /** What he is told of by signed webhooks; the default of the parameter Notices. Each costs as much as a delivery (docs/cost.md). */
    notices: z.array(z.enum(noticeTypes)).default([...exceptional]),
    maxConcurrency,
  }),
  internal: z.strictObject({ maxConcurrency }),
  settle: z.strictObject({ maxConcurrency }),
  /** How long an order waits for money before CLOSE_ORDER is due. */
  closeAfterMinutes: z.number().int(),
  /** Per task type, or `TYPE/channel`: what differs from `modules/core/task-policies.ts`. */
  policies: z.record(policyKey, policyOverride),
  /** Rate and breaker of a gate (a channel's id, `merchant`, or `notices`) where it differs from the defaults. */
  gates: z.record(z.string(), gateOverride).default({}),
  /** The function that carries out tasks: its time-out bounds the calls of one task, its leases and its messages. */
  work: z.strictObject({ timeoutSeconds: z.number().int().min(1).max(900) }),
  queues: z.strictObject({
    retentionHours: z.number().int().min(1).max(336),
    maxReceiveCount: z.number().int(),
  }),
  streams: z.strictObject({
    retryAttempts: z.number().int().min(1).max(10_000),
    maxRecordAgeHours: z.number().int().min(1),
    parallelization: z.number().int().min(1).max(10),
  }),
  api: z.strictObject({
    requestsPerSecond: z.number().int().min(1).max(10_000),
    burst: z.number().int().min(1).max(5000),
  }),
  auth,
  logRetentionDays,
  /**
   * X-Ray for every function. Off by default: Lambda traces one request a second and 5 % of the rest whatever we would have it do,
   * a trace ends at the table's stream, and the API takes no part; the log queries follow a payment through all functions.
   */
  tracing: z.boolean(),
  /** Where alarms go; empty: to the topic only. */
  alarmEmail: z.union([z.literal(''), z.email()]),
  /** Exact origins that may be called over http or at a private address. */
  privateOrigins: z.array(origin),
})

export type StageConfig = z.output<typeof stageSchema>
export type StageInput = z.input<typeof stageSchema>

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}
