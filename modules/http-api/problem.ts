import type { OrderStatus } from '../core/order.ts'
import type { TaskStatus } from '../core/task.ts'

/** Every refusal of the orders API: status and title by code. The only place where an error becomes a status. */
export const problems = {
  INVALID_JSON: { status: 400, title: 'The body is no JSON object' },
  ROUTE_NOT_FOUND: { status: 404, title: 'No such route' },
  ORDER_NOT_FOUND: { status: 404, title: 'No such order' },
  STOCK_NOT_FOUND: { status: 404, title: 'The sku is not counted' },
  PAY_ATTEMPT_NOT_FOUND: { status: 404, title: 'No such payment attempt' },
  ORDER_CONTENT_DIFFERS: { status: 409, title: 'The order exists with other content' },
  PAY_ATTEMPT_DIFFERS: { status: 409, title: 'The payment attempt exists with other content' },
  OUT_TRADE_NO_TAKEN: { status: 409, title: 'The number belongs to another order' },
  ORDER_NOT_PAYABLE: { status: 409, title: 'The order takes no payment any more' },
  ORDER_CLOSING: { status: 409, title: 'The order is being closed' },
  TOO_MANY_PAY_ATTEMPTS: { status: 409, title: 'Too many open payment attempts' },
  TASK_ENDED: { status: 409, title: 'The task has ended' },
  TASK_MANUAL: { status: 409, title: 'The task waits for a person' },
  CHANNEL_REF_DIFFERS: { status: 409, title: 'The payment attempt has another channelRef' },
  OUT_OF_STOCK: { status: 409, title: 'There is not enough of a sku' },
  STOCK_BELOW_TAKEN: { status: 409, title: 'More than that is reserved or sold' },
  STOCK_KIND_DIFFERS: { status: 409, title: 'The sku is of another kind' },
  STOCK_CHANGED: { status: 412, title: 'The sku is not as the request takes it to be' },
  BODY_TOO_LARGE: { status: 413, title: 'The body is too large' },
  VALIDATION_FAILED: { status: 422, title: 'Fields are missing or not of their form' },
  CODE_UNREADABLE: { status: 500, title: 'A code cannot be decrypted' },
  INTERNAL: { status: 500, title: 'A bug in Backstop' },
  ORDER_BUSY: { status: 503, title: 'Others keep changing the same rows' },
  LEDGER_UNAVAILABLE: { status: 503, title: 'The ledger does not answer' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>

export type ProblemCode = keyof typeof problems

export interface FieldProblem {
  /** Path into the body, e.g. `lines[0].sku`; or a parameter's name. */
  readonly field: string
  readonly problem: string
}

/** The request is refused: an answer to the caller. The message says what to do. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly code: ProblemCode
  readonly fields: readonly FieldProblem[]
  readonly retryAfterS: number | undefined
  readonly orderStatus: OrderStatus | undefined
  readonly taskStatus: TaskStatus | undefined

  constructor(
    code: ProblemCode,
    detail: string,
    more: {
      readonly fields?: readonly FieldProblem[]
      readonly retryAfterS?: number
      readonly orderStatus?: OrderStatus
      readonly taskStatus?: TaskStatus
    } = {},
  ) {
    super(detail)
    this.code = code
    this.fields = more.fields ?? []
    this.retryAfterS = more.retryAfterS
    this.orderStatus = more.orderStatus
    this.taskStatus = more.taskStatus
  }
}

/** A field whose form is right and whose value is not, refused like one of wrong form. */
export function invalidField(field: string, problem: string): ProblemError {
  return new ProblemError('VALIDATION_FAILED', `Correct the field '${field}': it ${problem}.`, {
    fields: [{ field, problem }],
  })
}

/** An answer of the API before API Gateway's form. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** The refusal as Problem Details. Source: RFC 9457 */
export function problemAnswer({ code, message, fields, retryAfterS, orderStatus, taskStatus }: ProblemError): Answer {
  const { status, title } = problems[code]
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
    },
    body: {
      type: `urn:backstop:problem:${code}`,
      title,
      status,
      code,
      detail: message,
      ...(orderStatus !== undefined && { orderStatus }),
      ...(taskStatus !== undefined && { taskStatus }),
      ...(fields.length > 0 && { fields }),
    },
  }
}
