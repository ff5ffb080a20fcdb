import { z } from 'zod'
import { operatorTypes } from '../../modules/core/operator.ts'
import { orderStatuses, settlements } from '../../modules/core/order.ts'
import { payAttemptStates } from '../../modules/core/pay-attempt.ts'
import { paymentRoles } from '../../modules/core/payment.ts'
import { refundStates } from '../../modules/core/refund.ts'
import { lineStates } from '../../modules/core/stock-line.ts'
import { taskSources, taskStatuses } from '../../modules/core/task.ts'
import { taskTypes } from '../../modules/core/task-policies.ts'
import { verdicts } from '../../modules/core/verdict.ts'
import { problems } from '../../modules/http-api/problem.ts'

const instant = z.string().meta({ format: 'date-time', description: 'UTC, with milliseconds.' })
const minorUnits = z.int().meta({ description: "In the currency's smallest unit." })
const currency = z.string().meta({ description: 'ISO 4217 code.' })
const count = z.int()
const text = z.string()

/** What every row tells of itself. */
const revised = {
  revision: count.meta({ description: 'Rises by one with each write of the row.' }),
  updatedAt: instant,
}

export const orderView = z
  .object({
    orderNo: text,
    status: z.enum(orderStatuses),
    settlement: z.enum(settlements),
    amount: minorUnits,
    currency,
    closeAt: instant,
    createdAt: instant,
    attributes: z.record(text, text).optional(),
    frozen: z.object({ taskNo: text, reason: text, at: instant }).optional().meta({
      description: 'Present while a person must decide before anything happens by itself.',
    }),
    ...revised,
  })
  .meta({ id: 'Order', description: 'An order as it stands now.' })

export const lineView = z
  .object({
    line: count,
    sku: text,
    quantity: count,
    state: z.enum(lineStates),
    deliveryNo: text.optional(),
    deliveredAt: instant.optional(),
    ...revised,
  })
  .meta({ id: 'Line', description: 'One article of an order and where its goods are.' })

export const orderWithLinesView = orderView
  .extend({ lines: z.array(lineView) })
  .meta({ id: 'OrderWithLines', description: 'An order as it stands now, with its lines.' })

export const payAttemptView = z
  .object({
    orderNo: text,
    channel: text,
    outTradeNo: text,
    state: z.enum(payAttemptStates),
    channelRef: text.optional(),
    amount: minorUnits,
    currency,
    expiresAt: instant,
    createdAt: instant,
    ...revised,
  })
  .meta({ id: 'PayAttempt', description: 'One try to pay an order through one channel.' })

export const paymentView = z
  .object({
    channel: text,
    channelTxnId: text,
    outTradeNo: text.optional(),
    role: z.enum(paymentRoles),
    paid: minorUnits,
    reserved: minorUnits.meta({ description: 'Held back by refunds that are not final.' }),
    refunded: minorUnits,
    currency,
    paidAt: instant.meta({ description: "The channel's time of the payment." }),
    settlement: z.enum(settlements),
    ...revised,
  })
  .meta({ id: 'Payment', description: "One real payment under the channel's own number." })

export const refundView = z
  .object({
    refundNo: text,
    cause: text,
    channel: text,
    channelTxnId: text,
    amount: minorUnits,
    currency,
    state: z.enum(refundStates),
    createdAt: instant,
    ...revised,
  })
  .meta({ id: 'Refund', description: 'One movement of money back.' })

export const journalView = z
  .object({
    orderRevision: count,
    from: text,
    to: text,
    operatorType: z.enum(operatorTypes),
    operator: text,
    reason: text,
    evidence: text,
    at: instant,
  })
  .meta({ id: 'JournalEntry', description: 'One change of an order, who made it, and on what evidence.' })

export const callbackView = z
  .object({
    channel: text,
    eventId: text,
    verdict: z.enum(verdicts),
    receivedAt: instant,
    seen: count.meta({ description: 'How often the same bytes came.' }),
    bodySha256: text,
    ...revised,
  })
  .meta({ id: 'Callback', description: 'A notice of a channel and what became of it; its text stays in the ledger.' })

export const attemptView = z
  .object({
    no: count,
    openedAt: instant,
    closedAt: instant.optional(),
    target: text,
    idempotencyKey: text,
    outcome: text.optional(),
    code: text.optional(),
    message: text.optional(),
    httpStatus: count.optional(),
    networkErrorType: text.optional(),
    retryAfterMs: count.optional(),
    nextExecuteAt: instant.optional(),
    rule: text.optional(),
  })
  .meta({ id: 'Attempt', description: 'One execution of a task. One without an end counts as sent.' })

const snapshot = z.record(text, z.unknown())
export const taskSummaryView = z
  .object({
    taskNo: text,
    bizType: z.enum(taskTypes),
    bizNo: text,
    orderNo: text.optional().meta({ description: 'Absent while what it is about belongs to no order.' }),
    channel: text.optional(),
    lane: text.meta({ description: 'Whose queue it stands in: a channel, `merchant` or `internal`.' }),
    source: z.enum(taskSources),
    status: z.enum(taskStatuses),
    retryCount: count,
    maxRetryCount: count.optional().meta({ description: 'Absent where the total time ends it and not a count.' }),
    nextExecuteAt: instant,
    lastExecuteAt: instant.optional(),
    deadlineAt: instant,
    failedAt: instant.optional(),
    lastErrorCode: text.optional(),
    lastErrorMsg: text.optional(),
    requestSnapshot: snapshot.optional(),
    resultSnapshot: snapshot.optional(),
    createdAt: instant,
    ...revised,
  })
  .meta({ id: 'TaskSummary', description: 'One thing still to be done, or done.' })

export const taskView = taskSummaryView
  .extend({ attempts: z.array(attemptView) })
  .meta({ id: 'Task', description: 'One thing still to be done, or done, with each execution.' })

export const orderFileView = z
  .object({
    order: orderView,
    lines: z.array(lineView),
    payAttempts: z.array(payAttemptView),
    payments: z.array(paymentView),
    refunds: z.array(refundView),
    journal: z.array(journalView),
    callbacks: z.array(callbackView),
    tasks: z.array(taskView),
    nextCursor: text.optional().meta({ description: 'Present when there is more; send it as `cursor`.' }),
  })
  .meta({
    id: 'OrderFile',
    description: 'Everything known of an order, or one page of it: each row is on exactly one page, the order on all.',
  })

export const problemView = z
  .object({
    type: text.meta({ description: 'A URN that ends in the code.' }),
    title: text,
    status: count,
    code: z.enum(Object.keys(problems)),
    detail: text.meta({ description: 'What to do.' }),
    orderStatus: z.enum(orderStatuses).optional(),
    taskStatus: z.enum(taskStatuses).optional(),
    fields: z.array(z.object({ field: text, problem: text })).optional(),
  })
  .meta({
    id: 'Problem',
    description: 'A refusal as Problem Details (RFC 9457).',
    examples: [
      {
        type: 'urn:backstop:problem:VALIDATION_FAILED',
        title: problems.VALIDATION_FAILED.title,
        status: problems.VALIDATION_FAILED.status,
        code: 'VALIDATION_FAILED',
        detail: 'Correct these fields and send the request again: amount.',
        fields: [{ field: 'amount', problem: 'is missing' }],
      },
    ],
  })
