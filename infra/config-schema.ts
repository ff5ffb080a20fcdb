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
const lane = (usual: number) => z.strictObject({ maxConcurrency: maxConcurrency.default(usual) }).prefault({})

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

const reserved = z.number().int().min(1).max(10_000).exactOptional()

const hostName = z.hostname('must be a host name such as pay.shop.com')
const domain = z
  .strictObject({
    name: hostName,
    /** An ACM certificate of the same Region; without it, one is made and proved in the hosted zone. */
    certificateArn: z
      .string()
      .regex(/^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/, 'must be the ARN of an ACM certificate')
      .exactOptional(),
    /** The Route 53 zone that holds the name; without it, whoever runs the name's zone points it at the output ApiTarget. */
    hostedZone: z
      .strictObject({ id: z.string().regex(/^Z[0-9A-Z]+$/, 'must be the id of a hosted zone, Z…'), name: hostName })
      .exactOptional(),
  })
  .refine(({ certificateArn, hostedZone }) => certificateArn !== undefined || hostedZone !== undefined, {
    error: 'needs a certificateArn, or a hostedZone to prove a new certificate in',
  })

/** Of a resource. Source: Tagging AWS Resources user guide, "Tag naming limits and requirements" */
const tagText = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .regex(
      /^(?!aws:)[\p{L}\p{Z}\p{N}_.:/=+\-@]+$/iu,
      'may have letters, digits, spaces and _.:/=+-@, and not begin with aws:',
    )

/** Everything that a stage decides. Strict: a misspelt setting is refused, not ignored. */
export const stageSchema = z.strictObject({
  /** Stands in the stack's name: `Backstop-<stage>`. */
  stage: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,15}$/, 'must be 1 to 16 small letters, digits and hyphens, a letter first'),
  channels: z
    .array(z.strictObject({ account: accountSchema, maxConcurrency: maxConcurrency.default(5) }))
    .min(1, 'must name at least one channel'),
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
    maxConcurrency: maxConcurrency.default(10),
  }),
  internal: lane(5),
  settle: lane(20),
  /** How long an order waits for money before CLOSE_ORDER is due. */
  closeAfterMinutes: z.number().int().default(15),
  /** Per task type, or `TYPE/channel`: what differs from `modules/core/task-policies.ts`. */
  policies: z.record(policyKey, policyOverride).default({}),
  /** Rate and breaker of a gate (a channel's id, `merchant`, or `notices`) where it differs from the defaults. */
  gates: z.record(z.string(), gateOverride).default({}),
  /** The function that carries out tasks: its time-out bounds the calls of one task, its leases and its messages. */
  work: z.strictObject({ timeoutSeconds: z.number().int().min(1).max(900).default(60) }).prefault({}),
  queues: z
    .strictObject({
      retentionHours: z.number().int().min(1).max(336).default(96),
      maxReceiveCount: z.number().int().default(5),
    })
    .prefault({}),
  streams: z
    .strictObject({
      retryAttempts: z.number().int().min(1).max(10_000).default(20),
      maxRecordAgeHours: z.number().int().min(1).default(6),
      parallelization: z.number().int().min(1).max(10).default(2),
    })
    .prefault({}),
  api: z
    .strictObject({
      requestsPerSecond: z.number().int().min(1).max(10_000).default(500),
      burst: z.number().int().min(1).max(5000).default(1000),
      /** Callbacks have a limit of their own, so that no flood of calls keeps them out, and none of them the calls. */
      callbacksPerSecond: z.number().int().min(1).max(10_000).default(500),
      callbackBurst: z.number().int().min(1).max(5000).default(1000),
    })
    .prefault({}),
  auth: auth.default({ kind: 'cognito' }),
  /** A name of your own for the API; callbacks and calls then go to it. */
  domain: domain.exactOptional(),
  /** On every resource, for the bill and for whoever looks at the account. */
  tags: z.record(tagText(128), tagText(256)).default({}),
  /**
   * Per function, what of the account's concurrency is kept for it and is its most. None unless given: a new account has too little
   * to give any away, and its deploy would fail.
   */
  reservedConcurrency: z
    .strictObject({
      ingress: reserved,
      settle: reserved,
      work: reserved,
      dispatch: reserved,
      publish: reserved,
      sweep: reserved,
      orders: reserved,
    })
    .default({}),
  /** Off only while the first deploy may fail: a protected table stops CloudFormation from cleaning up after it. */
  deletionProtection: z.boolean().default(true),
  logRetentionDays: logRetentionDays.default(90),
  /**
   * X-Ray for every function. Off by default: Lambda traces one request a second and 5 % of the rest whatever we would have it do,
   * a trace ends at the table's stream, and the API takes no part; the log queries follow a payment through all functions.
   */
  tracing: z.boolean().default(false),
  /** Where alarms go; empty: to the topic only. */
  alarmEmail: z.union([z.literal(''), z.email()]).default(''),
  /** Exact origins that may be called over http or at a private address. */
  privateOrigins: z.array(origin).default([]),
})

export type StageConfig = z.output<typeof stageSchema>
export type StageInput = z.input<typeof stageSchema>

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}
