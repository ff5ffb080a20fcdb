import * as z from 'zod/mini'
import {
  parseChannelId,
  parseChannelTxnId,
  parseOrderNo,
  parseOutTradeNo,
  parseRefundNo,
  parseSku,
  parseTaskNo,
} from '../../core/ids.ts'
import { parseInstant } from '../../core/instant.ts'
import { parseCurrency, parseMinorUnits } from '../../core/money.ts'
import { paymentRoles } from '../../core/payment.ts'
import { refundStates } from '../../core/refund.ts'
import { parseInterface } from '../../core/stock.ts'
import { taskTypes } from '../../core/task-policies.ts'

/** Reads by one of the core's parsers; the row is corrupt when it refuses. */
const by = <In, Out>(parse: (value: In) => Out | undefined) =>
  z.pipe(
    z.custom<In>(),
    z.transform((value: In, context): Out => {
      const parsed = parse(value)
      if (parsed !== undefined) return parsed
      context.issues.push({ code: 'custom', message: 'is not of its form', input: value })
      return z.NEVER
    }),
  )

const text = z.string()
const count = z.int().check(z.nonnegative())
const instant = by(parseInstant)
const orderNo = by(parseOrderNo)
const channel = by(parseChannelId)
const outTradeNo = by(parseOutTradeNo)
const channelTxnId = by(parseChannelTxnId)
const taskNo = by(parseTaskNo)
const refundNo = by(parseRefundNo)
const amount = by(parseMinorUnits)
const currency = by(parseCurrency)

const row = { pk: text, sk: text, v: z.literal(1), rev: count, updatedAt: instant }

export const orderRow = z.object({
  ...row,
  et: z.literal('ORDER'),
  orderNo,
  status: z.enum([
    'WAIT_PAY',
    'PAYING',
    'PAY_FAILED',
    'PAID',
    'DELIVERED',
    'COMPLETED',
    'CLOSED',
    'REFUNDING',
    'REFUNDED',
  ]),
  settlement: z.enum(['PENDING', 'MATCHED', 'MISMATCHED', 'NOT_APPLICABLE']),
  amount,
  currency,
  contentHash: text,
  closeAt: instant,
  createdAt: instant,
  /** How many lines the order has, and how many of them wait for delivery. */
  lines: count,
  undelivered: count,
  activeTask: z.optional(z.object({ taskNo, fence: count, leaseUntil: instant })),
  closedAt: z.optional(instant),
  refundingFrom: z.optional(z.enum(['PAID', 'DELIVERED', 'COMPLETED'])),
  frozen: z.optional(z.object({ taskNo, reason: text, at: instant })),
  /** How many notices the merchant was sent of it: the number of the newest. */
  notices: z.optional(count),
  attributes: z.optional(z.record(text, text)),
  duePk: z.optional(text),
  dueAt: z.optional(instant),
})
export type OrderRow = z.infer<typeof orderRow>

export const lineRow = z.object({
  ...row,
  et: z.literal('LINE'),
  line: count,
  sku: by(parseSku),
  qty: count,
  state: z.enum(['RESERVED', 'SOLD', 'RELEASED', 'RESTOCKED']),
  deliveryNo: z.optional(text),
  deliveredAt: z.optional(instant),
  /** Buckets that hold its goods; absent when the sku is not counted. */
  taken: z.optional(z.array(z.object({ bucket: count, qty: count }))),
  /** Ways of delivery in their order, as they stood when the order was made; absent: the usual webhook. */
  interfaces: z.optional(z.array(by(parseInterface))),
  /** The way that it was delivered by. */
  deliveredBy: z.optional(by(parseInterface)),
})
export type LineRow = z.infer<typeof lineRow>

export const payAttemptRow = z.object({
  ...row,
  et: z.literal('PAYATTEMPT'),
  channel,
  outTradeNo,
  state: z.enum(['OPEN', 'PAID', 'FAILED', 'CLOSING', 'CLOSED']),
  channelRef: z.optional(text),
  amount,
  currency,
  expiresAt: instant,
  createdAt: instant,
})
export type PayAttemptRow = z.infer<typeof payAttemptRow>

export const paymentRow = z.object({
  ...row,
  et: z.literal('PAYMENT'),
  channel,
  channelTxnId,
  outTradeNo: z.optional(outTradeNo),
  orderNo: z.optional(orderNo),
  role: z.enum(paymentRoles),
  paid: amount,
  reserved: amount,
  refunded: amount,
  currency,
  /** The channel's time; our time of receipt stands in where the notice has none. */
  paidAt: instant,
  settlement: z.enum(['PENDING', 'MATCHED', 'MISMATCHED', 'NOT_APPLICABLE']),
})
export type PaymentRow = z.infer<typeof paymentRow>

export const refundRow = z.object({
  ...row,
  et: z.literal('REFUND'),
  refundNo,
  cause: text,
  channel,
  channelTxnId,
  amount,
  currency,
  state: z.enum(refundStates),
  wire: count,
  run: count,
  createdAt: instant,
})
export type RefundRow = z.infer<typeof refundRow>

export const journalRow = z.object({
  ...row,
  et: z.literal('JOURNAL'),
  orderNo,
  orderRev: count,
  from: text,
  to: text,
  operatorType: z.enum(['CALLBACK', 'QUERY', 'POLICY', 'PERSON', 'RECONCILIATION', 'MERCHANT']),
  operator: text,
  reason: text,
  evidence: text,
  at: instant,
  /** How often its publication failed. What follows stands only in a row that the bus has not taken yet (ADR 0013). */
  publishTries: z.optional(count),
  wake: z.optional(instant),
  duePk: z.optional(text),
  dueAt: z.optional(instant),
})
export type JournalRow = z.infer<typeof journalRow>

/** What became of a callback, kept with it. */
export const verdicts = [
  'received',
  'applied',
  'late',
  'surplus',
  'mismatched',
  'parked',
  'orphan',
  'duplicate',
  'conflict',
  'recorded',
  'unreadable',
] as const
export type Verdict = (typeof verdicts)[number]

export const callbackRow = z.object({
  ...row,
  et: z.literal('CALLBACK'),
  channel,
  eventId: text,
  bodySha256: text,
  verdict: z.enum(verdicts),
  receivedAt: instant,
  keyId: text,
  headers: z.record(text, text),
  seen: count,
  raw: z.optional(z.instanceof(Uint8Array)),
  rawKey: z.optional(text),
})
export type CallbackRow = z.infer<typeof callbackRow>

export const taskRow = z.object({
  ...row,
  et: z.literal('TASK'),
  taskNo,
  bizType: z.enum(taskTypes),
  bizNo: text,
  orderNo: z.optional(orderNo),
  channel: z.optional(channel),
  lane: text,
  source: z.enum(['CALLBACK', 'RECONCILIATION', 'MANUAL', 'INSPECTION', 'POLICY']),
  status: z.enum(['WAITING', 'PROCESSING', 'RETRY', 'SUCCESS', 'MANUAL', 'CLOSED']),
  retryCount: count,
  maxRetryCount: z.optional(count),
  /** Attempts opened so far, the number of the newest attempt row. */
  attempts: count,
  nextExecuteAt: instant,
  lastExecuteAt: z.optional(instant),
  deadlineAt: instant,
  lastErrorCode: z.optional(text),
  lastErrorMsg: z.optional(text),
  requestSnapshot: z.optional(z.record(text, z.unknown())),
  resultSnapshot: z.optional(z.record(text, z.unknown())),
  lockedBy: z.optional(text),
  lockedAt: z.optional(instant),
  fence: count,
  idempotencyKey: text,
  /** Place of the way of delivery in use among the line's interfaces; absent: the first. */
  interfaceIndex: z.optional(count),
  /** A slot that the parked task holds, of which lane's gate, and the gate's epoch when it was given. */
  slotAt: z.optional(instant),
  slotLane: z.optional(text),
  gateEpoch: z.optional(count),
  run: count,
  parkedMs: count,
  failedAt: z.optional(instant),
  /** Since when each attempt has met a channel that is ours to fix. */
  misconfiguredSince: z.optional(instant),
  wake: z.optional(instant),
  duePk: z.optional(text),
  dueAt: z.optional(instant),
  findPk: z.optional(text),
  findSk: z.optional(text),
  createdAt: instant,
})
export type TaskRow = z.infer<typeof taskRow>

export const attemptRow = z.object({
  ...row,
  et: z.literal('ATTEMPT'),
  taskNo,
  no: count,
  openedAt: instant,
  closedAt: z.optional(instant),
  target: text,
  idempotencyKey: text,
  outcome: z.optional(text),
  code: z.optional(text),
  message: z.optional(text),
  httpStatus: z.optional(count),
  networkErrorType: z.optional(text),
  retryAfterMs: z.optional(count),
  nextExecuteAt: z.optional(instant),
  rule: z.optional(text),
})
export type AttemptRow = z.infer<typeof attemptRow>

/** One share of a sku's stock. `available` = onHand − reserved − sold, kept because a condition cannot add. */
export const stockRow = z.object({
  ...row,
  et: z.literal('STOCK'),
  sku: by(parseSku),
  bucket: count,
  onHand: count,
  reserved: count,
  sold: count,
  available: count,
})
export type StockRow = z.infer<typeof stockRow>

/** A sku's settings. */
export const skuRow = z.object({
  ...row,
  et: z.literal('SKU'),
  sku: by(parseSku),
  kind: z.enum(['goods', 'card-code']),
  interfaces: z.array(by(parseInterface)),
  /** How many buckets take in stock; ones of a higher number only give out what they hold. */
  buckets: count,
})
export type SkuRow = z.infer<typeof skuRow>

/** An encrypted code: free under its sku, or bound under the order that it was sold with. */
export const codeRow = z.object({
  ...row,
  et: z.literal('CODE'),
  sku: by(parseSku),
  codeId: text,
  /** The key that it is encrypted with. */
  keyId: text,
  sealed: z.instanceof(Uint8Array),
  line: z.optional(count),
})
export type CodeRow = z.infer<typeof codeRow>

/** A code that was bound: what stays of it under its sku. */
export const usedCodeRow = z.object({
  ...row,
  et: z.literal('USED_CODE'),
  sku: by(parseSku),
  codeId: text,
  orderNo,
  line: count,
})
export type UsedCodeRow = z.infer<typeof usedCodeRow>

export const guardRow = z.object({
  ...row,
  et: z.literal('GUARD'),
  orderNo: z.optional(orderNo),
  /** The item collection that holds the row this guard is for. */
  collection: text,
})
export type GuardRow = z.infer<typeof guardRow>

const anyRow = z.discriminatedUnion('et', [
  orderRow,
  lineRow,
  payAttemptRow,
  paymentRow,
  refundRow,
  journalRow,
  callbackRow,
  taskRow,
  attemptRow,
  guardRow,
  stockRow,
  skuRow,
  codeRow,
  usedCodeRow,
])
export type Row = z.infer<typeof anyRow>

/** A row that is not of its schema: a bug or a hand in the table. Names the row and the fields, never their values. */
export class CorruptRowError extends Error {
  override readonly name = 'CorruptRowError'
  readonly code = 'CORRUPT_ROW'

  constructor(item: Record<string, unknown>, fields: string) {
    super(
      `Row ${String(item['pk'])} / ${String(item['sk'])} is not of its schema (${fields}). Compare it with docs/architecture.md.`,
    )
  }
}

/**
 * Reads an item as it came from the table. Types of later releases are left out by the caller ({@link isKnown}).
 * @throws CorruptRowError
 */
export function readRow(item: Record<string, unknown>): Row {
  const parsed = z.safeParse(anyRow, item)
  if (parsed.success) return parsed.data
  throw new CorruptRowError(item, parsed.error.issues.map((issue) => issue.path.join('.')).join(', '))
}

const KNOWN = new Set([
  'ORDER',
  'LINE',
  'PAYATTEMPT',
  'PAYMENT',
  'REFUND',
  'JOURNAL',
  'CALLBACK',
  'TASK',
  'ATTEMPT',
  'GUARD',
  'STOCK',
  'SKU',
  'CODE',
  'USED_CODE',
])

/** Whether this release has a schema for the item. A newer release may have written others beside them. */
export function isKnown(item: Record<string, unknown>): boolean {
  return KNOWN.has(String(item['et']))
}
