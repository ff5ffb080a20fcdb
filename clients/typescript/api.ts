// Generated from docs/openapi.json by `npm run openapi`. Changes belong into the route table, functions/orders/routes.ts.
/** The channel's number of a try, known after the channel was called. */
export type AddChannelRef = {
  /** Needed when the number exists on several channels. */
  readonly channel?: Channel
  readonly channelRef: ChannelRef
}

/** Codes to be sold, each once. */
export type AddCodes = {
  readonly codes: readonly string[]
}

/** An amount in the currency's smallest unit: 8800 CNY is 88.00 yuan. */
export type Amount = number

/** One execution of a task. One without an end counts as sent. */
export type Attempt = {
  readonly no: number
  /** UTC, with milliseconds. */
  readonly openedAt: string
  /** UTC, with milliseconds. */
  readonly closedAt?: string
  readonly target: string
  readonly idempotencyKey: string
  readonly outcome?: string
  readonly code?: string
  readonly message?: string
  readonly httpStatus?: number
  readonly networkErrorType?: string
  readonly retryAfterMs?: number
  /** UTC, with milliseconds. */
  readonly nextExecuteAt?: string
  readonly rule?: string
}

/** The merchant's own notes, at most 20; sent along with each delivery and notice. */
export type Attributes = Readonly<Record<string, string>>

/** What a task is about: an orderNo, channel/outTradeNo, orderNo/line, a refundNo, channel/eventId. */
export type BizNo = string

/** A notice of a channel and what became of it; its text stays in the ledger. */
export type Callback = {
  readonly channel: string
  readonly eventId: string
  readonly verdict:
    | 'received'
    | 'applied'
    | 'late'
    | 'surplus'
    | 'mismatched'
    | 'parked'
    | 'orphan'
    | 'duplicate'
    | 'conflict'
    | 'recorded'
    | 'unreadable'
  /** UTC, with milliseconds. */
  readonly receivedAt: string
  /** How often the same bytes came. */
  readonly seen: number
  readonly bodySha256: string
  /** Rises by one with each write of the row. */
  readonly revision: number
  /** UTC, with milliseconds. */
  readonly updatedAt: string
}

/** Id of a configured channel account. */
export type Channel = string

/** The channel's own number of the try: Stripe's pi_…, a prepay id. */
export type ChannelRef = string

/** Ask all channels, and close what nobody paid. */
export type CloseOrderTask = {
  readonly bizType: 'CLOSE_ORDER'
  readonly orderNo: OrderNo
}

/** What became of the codes of a request. */
export type CodesAdded = {
  readonly sku: string
  readonly added: number
  /** Codes that were there already, free or sold, or stood twice in the request. */
  readonly known: number
}

/** What shall be done now. */
export type CreateTask = QueryPaymentTask | CloseOrderTask

/** ISO 4217 code. */
export type Currency = string

/** One way to deliver: a code of our own pool, the usual webhook, or one of a configured name. */
export type DeliveryInterface = string

/** A refusal of the gateway. */
export type GatewayRefusal = {
  readonly message: string
}

/** A moment as ISO 8601 with a zone; answered in UTC with milliseconds. */
export type Instant = string

/** One change of an order, who made it, and on what evidence. */
export type JournalEntry = {
  readonly orderRevision: number
  readonly from: string
  readonly to: string
  readonly operatorType: 'CALLBACK' | 'QUERY' | 'POLICY' | 'PERSON' | 'RECONCILIATION' | 'MERCHANT'
  readonly operator: string
  readonly reason: string
  readonly evidence: string
  /** UTC, with milliseconds. */
  readonly at: string
}

/** Whose queue: a channel's id, `merchant` or `internal`. */
export type Lane = string

/** One article of an order and where its goods are. */
export type Line = {
  readonly line: number
  readonly sku: string
  readonly quantity: number
  readonly state: 'RESERVED' | 'SOLD' | 'RELEASED' | 'DROPPED' | 'RESTOCKED'
  readonly deliveryNo?: string
  /** UTC, with milliseconds. */
  readonly deliveredAt?: string
  /** Rises by one with each write of the row. */
  readonly revision: number
  /** UTC, with milliseconds. */
  readonly updatedAt: string
}

/** A task; its executions only by order or business number. */
export type ListedTask = {
  readonly taskNo: string
  readonly bizType:
    | 'QUERY_PAYMENT'
    | 'CLOSE_ORDER'
    | 'CLOSE_ATTEMPT'
    | 'DELIVER'
    | 'REFUND'
    | 'QUERY_REFUND'
    | 'SETTLE_CALLBACK'
    | 'NOTIFY'
    | 'VERIFY_STATUS'
    | 'SETTLEMENT_WRITEBACK'
    | 'RELEASE_STOCK'
    | 'REVIEW'
    | 'START_EXECUTION'
    | 'RESUME_EXECUTION'
    | 'FETCH_BILL'
  readonly bizNo: string
  /** Absent while what it is about belongs to no order. */
  readonly orderNo?: string
  readonly channel?: string
  /** Whose queue it stands in: a channel, `merchant` or `internal`. */
  readonly lane: string
  readonly source: 'CALLBACK' | 'RECONCILIATION' | 'MANUAL' | 'INSPECTION' | 'POLICY'
  readonly status: 'WAITING' | 'PROCESSING' | 'RETRY' | 'SUCCESS' | 'MANUAL' | 'CLOSED'
  readonly retryCount: number
  /** Absent where the total time ends it and not a count. */
  readonly maxRetryCount?: number
  /** UTC, with milliseconds. */
  readonly nextExecuteAt: string
  /** UTC, with milliseconds. */
  readonly lastExecuteAt?: string
  /** UTC, with milliseconds. */
  readonly deadlineAt: string
  /** UTC, with milliseconds. */
  readonly failedAt?: string
  readonly lastErrorCode?: string
  readonly lastErrorMsg?: string
  readonly requestSnapshot?: Readonly<Record<string, unknown>>
  readonly resultSnapshot?: Readonly<Record<string, unknown>>
  /** UTC, with milliseconds. */
  readonly createdAt: string
  /** Rises by one with each write of the row. */
  readonly revision: number
  /** UTC, with milliseconds. */
  readonly updatedAt: string
  readonly attempts?: readonly Attempt[]
}

/** An order as it stands now. */
export type Order = {
  readonly orderNo: string
  readonly status:
    | 'WAIT_PAY'
    | 'PAYING'
    | 'PAY_FAILED'
    | 'PAID'
    | 'DELIVERED'
    | 'COMPLETED'
    | 'CLOSED'
    | 'REFUNDING'
    | 'REFUNDED'
  readonly settlement: 'PENDING' | 'MATCHED' | 'MISMATCHED' | 'NOT_APPLICABLE'
  /** In the currency's smallest unit. */
  readonly amount: number
  /** ISO 4217 code. */
  readonly currency: string
  /** UTC, with milliseconds. */
  readonly closeAt: string
  /** UTC, with milliseconds. */
  readonly createdAt: string
  readonly attributes?: Readonly<Record<string, string>>
  /** Present while a person must decide before anything happens by itself. */
  readonly frozen?: {
    readonly taskNo: string
    readonly reason: string
    /** UTC, with milliseconds. */
    readonly at: string
  }
  /** Rises by one with each write of the row. */
  readonly revision: number
  /** UTC, with milliseconds. */
  readonly updatedAt: string
}

/** The codes of an order's delivered lines, in plain text. */
export type OrderCodes = {
  readonly orderNo: string
  readonly lines: readonly {
    readonly line: number
    readonly sku: string
    /** UTC, with milliseconds. */
    readonly deliveredAt: string
    readonly codes: readonly string[]
  }[]
}

/** Everything known of an order, or one page of it: each row is on exactly one page, the order on all. */
export type OrderFile = {
  readonly order: Order
  readonly lines: readonly Line[]
  readonly payAttempts: readonly PayAttempt[]
  readonly payments: readonly Payment[]
  readonly refunds: readonly Refund[]
  readonly journal: readonly JournalEntry[]
  readonly callbacks: readonly Callback[]
  readonly tasks: readonly Task[]
  /** Present when there is more; send it as `cursor`. */
  readonly nextCursor?: string
}

/** One article of an order. */
export type OrderLine = {
  readonly sku: Sku
  /** How many of the article. */
  readonly quantity: number
}

/** The merchant's number of the order. */
export type OrderNo = string

/** An order, and the tasks that were asked to act now. */
export type OrderTasks = {
  readonly order: Order
  readonly tasks: readonly Task[]
}

/** An order as it stands now, with its lines. */
export type OrderWithLines = {
  readonly orderNo: string
  readonly status:
    | 'WAIT_PAY'
    | 'PAYING'
    | 'PAY_FAILED'
    | 'PAID'
    | 'DELIVERED'
    | 'COMPLETED'
    | 'CLOSED'
    | 'REFUNDING'
    | 'REFUNDED'
  readonly settlement: 'PENDING' | 'MATCHED' | 'MISMATCHED' | 'NOT_APPLICABLE'
  /** In the currency's smallest unit. */
  readonly amount: number
  /** ISO 4217 code. */
  readonly currency: string
  /** UTC, with milliseconds. */
  readonly closeAt: string
  /** UTC, with milliseconds. */
  readonly createdAt: string
  readonly attributes?: Readonly<Record<string, string>>
  /** Present while a person must decide before anything happens by itself. */
  readonly frozen?: {
    readonly taskNo: string
    readonly reason: string
    /** UTC, with milliseconds. */
    readonly at: string
  }
  /** Rises by one with each write of the row. */
  readonly revision: number
  /** UTC, with milliseconds. */
  readonly updatedAt: string
  readonly lines: readonly Line[]
}

/** The number of one try to pay, unique per channel. Alipay takes 1 to 64 of [0-9A-Za-z_], WeChat Pay 6 to 32 of [0-9A-Za-z_-*|]. */
export type OutTradeNo = string

/** One try to pay an order through one channel. */
export type PayAttempt = {
  readonly orderNo: string
  readonly channel: string
  readonly outTradeNo: string
  readonly state: 'OPEN' | 'PAID' | 'FAILED' | 'CLOSING' | 'CLOSED'
  readonly channelRef?: string
  /** In the currency's smallest unit. */
  readonly amount: number
  /** ISO 4217 code. */
  readonly currency: string
  /** UTC, with milliseconds. */
  readonly expiresAt: string
  /** UTC, with milliseconds. */
  readonly createdAt: string
  /** Rises by one with each write of the row. */
  readonly revision: number
  /** UTC, with milliseconds. */
  readonly updatedAt: string
}

/** One real payment under the channel's own number. */
export type Payment = {
  readonly channel: string
  readonly channelTxnId: string
  readonly outTradeNo?: string
  readonly role: 'APPLIED' | 'LATE' | 'SURPLUS' | 'MISMATCHED' | 'ORPHAN' | 'AWAITED'
  /** In the currency's smallest unit. */
  readonly paid: number
  /** Held back by refunds that are not final. */
  readonly reserved: number
  /** In the currency's smallest unit. */
  readonly refunded: number
  /** ISO 4217 code. */
  readonly currency: string
  /** The channel's time of the payment. */
  readonly paidAt: string
  readonly settlement: 'PENDING' | 'MATCHED' | 'MISMATCHED' | 'NOT_APPLICABLE'
  /** Rises by one with each write of the row. */
  readonly revision: number
  /** UTC, with milliseconds. */
  readonly updatedAt: string
}

/** A refusal as Problem Details (RFC 9457). */
export type Problem = {
  /** A URN that ends in the code. */
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code:
    | 'INVALID_JSON'
    | 'ROUTE_NOT_FOUND'
    | 'ORDER_NOT_FOUND'
    | 'STOCK_NOT_FOUND'
    | 'PAY_ATTEMPT_NOT_FOUND'
    | 'ORDER_CONTENT_DIFFERS'
    | 'PAY_ATTEMPT_DIFFERS'
    | 'OUT_TRADE_NO_TAKEN'
    | 'ORDER_NOT_PAYABLE'
    | 'ORDER_CLOSING'
    | 'TOO_MANY_PAY_ATTEMPTS'
    | 'TASK_ENDED'
    | 'TASK_MANUAL'
    | 'CHANNEL_REF_DIFFERS'
    | 'OUT_OF_STOCK'
    | 'STOCK_BELOW_TAKEN'
    | 'STOCK_KIND_DIFFERS'
    | 'STOCK_CHANGED'
    | 'BODY_TOO_LARGE'
    | 'VALIDATION_FAILED'
    | 'CODE_UNREADABLE'
    | 'INTERNAL'
    | 'ORDER_BUSY'
    | 'LEDGER_UNAVAILABLE'
  /** What to do. */
  readonly detail: string
  readonly orderStatus?:
    | 'WAIT_PAY'
    | 'PAYING'
    | 'PAY_FAILED'
    | 'PAID'
    | 'DELIVERED'
    | 'COMPLETED'
    | 'CLOSED'
    | 'REFUNDING'
    | 'REFUNDED'
  readonly taskStatus?: 'WAITING' | 'PROCESSING' | 'RETRY' | 'SUCCESS' | 'MANUAL' | 'CLOSED'
  readonly fields?: readonly {
    readonly field: string
    readonly problem: string
  }[]
}

/** The content of an order; it never changes afterwards. */
export type PutOrder = {
  readonly amount: Amount
  readonly currency: Currency
  /** What is sold; all of it is delivered after the payment. */
  readonly lines: readonly OrderLine[]
  /** When the order is closed if nobody has paid, at most 366 days ahead; by default 15 minutes after its creation. */
  readonly closeAt?: Instant
  readonly attributes?: Attributes
}

/** How much there is of a sku, and how it is delivered. */
export type PutStock = {
  /** Everything that ever came in, sold units included; left out for a sku of codes, which are counted. */
  readonly onHand?: number
  /** Never changes; by default 'goods'. */
  readonly kind?: 'goods' | 'card-code'
  /** Ways of delivery in their order; the next is taken only when one has refused for good. Holds for orders from now on. */
  readonly interfaces?: readonly DeliveryInterface[]
  /** Over how many rows the stock is spread: more let more orders of the sku be taken at once. */
  readonly buckets?: number
}

/** Ask the channel what became of a try. */
export type QueryPaymentTask = {
  readonly bizType: 'QUERY_PAYMENT'
  readonly orderNo: OrderNo
  readonly channel: Channel
  readonly outTradeNo: OutTradeNo
}

/** One movement of money back. */
export type Refund = {
  readonly refundNo: string
  readonly cause: string
  readonly channel: string
  readonly channelTxnId: string
  /** In the currency's smallest unit. */
  readonly amount: number
  /** ISO 4217 code. */
  readonly currency: string
  readonly state: 'CREATED' | 'UNKNOWN' | 'SUBMITTED' | 'REFUSED' | 'DONE' | 'REVERSED' | 'CANCELLED'
  /** UTC, with milliseconds. */
  readonly createdAt: string
  /** Rises by one with each write of the row. */
  readonly revision: number
  /** UTC, with milliseconds. */
  readonly updatedAt: string
}

/** Which notices. */
export type ReplayNotices = {
  /** The first number to tell again; 0, and nothing, for all. Money told of before its order came has none and counts as 0. */
  readonly fromSequence?: number
}

/** The merchant's number of an article. */
export type Sku = string

/** A try to pay, announced before the channel is called. */
export type StartPayment = {
  readonly channel: Channel
  /** By default the order's number, then with _2, _3 …: the next that is free. */
  readonly outTradeNo?: OutTradeNo
  /** When the channel stops taking money for this try, at most 31 days after the order's closeAt, which is the default. */
  readonly expiresAt?: Instant
  readonly channelRef?: ChannelRef
  /** Must be the order's when given. */
  readonly amount?: Amount
  /** Must be the order's when given. */
  readonly currency?: Currency
}

/** What is there of a sku. */
export type Stock = {
  readonly sku: string
  readonly kind: 'goods' | 'card-code'
  readonly interfaces: readonly string[]
  readonly buckets: number
  /** Everything that ever came in: available, reserved and sold together. */
  readonly onHand: number
  readonly available: number
  /** Held by orders that wait for their payment. */
  readonly reserved: number
  readonly sold: number
  /** Of settings and onHand; the ETag. Orders leave it as it is. */
  readonly revision: number
  /** UTC, with milliseconds. */
  readonly updatedAt: string
}

/** One thing still to be done, or done, with each execution. */
export type Task = {
  readonly taskNo: string
  readonly bizType:
    | 'QUERY_PAYMENT'
    | 'CLOSE_ORDER'
    | 'CLOSE_ATTEMPT'
    | 'DELIVER'
    | 'REFUND'
    | 'QUERY_REFUND'
    | 'SETTLE_CALLBACK'
    | 'NOTIFY'
    | 'VERIFY_STATUS'
    | 'SETTLEMENT_WRITEBACK'
    | 'RELEASE_STOCK'
    | 'REVIEW'
    | 'START_EXECUTION'
    | 'RESUME_EXECUTION'
    | 'FETCH_BILL'
  readonly bizNo: string
  /** Absent while what it is about belongs to no order. */
  readonly orderNo?: string
  readonly channel?: string
  /** Whose queue it stands in: a channel, `merchant` or `internal`. */
  readonly lane: string
  readonly source: 'CALLBACK' | 'RECONCILIATION' | 'MANUAL' | 'INSPECTION' | 'POLICY'
  readonly status: 'WAITING' | 'PROCESSING' | 'RETRY' | 'SUCCESS' | 'MANUAL' | 'CLOSED'
  readonly retryCount: number
  /** Absent where the total time ends it and not a count. */
  readonly maxRetryCount?: number
  /** UTC, with milliseconds. */
  readonly nextExecuteAt: string
  /** UTC, with milliseconds. */
  readonly lastExecuteAt?: string
  /** UTC, with milliseconds. */
  readonly deadlineAt: string
  /** UTC, with milliseconds. */
  readonly failedAt?: string
  readonly lastErrorCode?: string
  readonly lastErrorMsg?: string
  readonly requestSnapshot?: Readonly<Record<string, unknown>>
  readonly resultSnapshot?: Readonly<Record<string, unknown>>
  /** UTC, with milliseconds. */
  readonly createdAt: string
  /** Rises by one with each write of the row. */
  readonly revision: number
  /** UTC, with milliseconds. */
  readonly updatedAt: string
  readonly attempts: readonly Attempt[]
}

/** Follows from bizType and bizNo. */
export type TaskNo = string

/** Tasks, oldest first. */
export type TasksPage = {
  readonly tasks: readonly ListedTask[]
  /** Present when there may be more; send it as `cursor`. */
  readonly nextCursor?: string
}

export interface Operations {
  /** Have an order watched. */
  putOrder: {
    readonly input: { readonly params: { readonly orderNo: OrderNo }; readonly body: PutOrder }
    readonly answer: OrderWithLines
  }
  /** Read an order's file. */
  getOrder: {
    readonly input: {
      readonly params: { readonly orderNo: OrderNo }
      readonly query?: { readonly limit?: string; readonly cursor?: string }
    }
    readonly answer: OrderFile
  }
  /** Announce a try to pay. */
  startPayAttempt: {
    readonly input: { readonly params: { readonly orderNo: OrderNo }; readonly body: StartPayment }
    readonly answer: PayAttempt
  }
  /** Keep the channel's number of a try. */
  addChannelRef: {
    readonly input: {
      readonly params: { readonly orderNo: OrderNo; readonly outTradeNo: OutTradeNo }
      readonly body: AddChannelRef
    }
    readonly answer: PayAttempt
  }
  /** Close an order that the buyer gave up. */
  closeOrder: { readonly input: { readonly params: { readonly orderNo: OrderNo } }; readonly answer: OrderTasks }
  /** Ask the channels now. */
  refreshOrder: { readonly input: { readonly params: { readonly orderNo: OrderNo } }; readonly answer: OrderTasks }
  /** Be told again. */
  replayNotices: {
    readonly input: { readonly params: { readonly orderNo: OrderNo }; readonly body: ReplayNotices }
    readonly answer: OrderTasks
  }
  /** Read an order's codes. */
  getCodes: { readonly input: { readonly params: { readonly orderNo: OrderNo } }; readonly answer: OrderCodes }
  /** Find tasks. */
  listTasks: {
    readonly input: {
      readonly query?: {
        readonly orderNo?: OrderNo
        readonly taskNo?: TaskNo
        readonly bizType?:
          | 'QUERY_PAYMENT'
          | 'CLOSE_ORDER'
          | 'CLOSE_ATTEMPT'
          | 'DELIVER'
          | 'REFUND'
          | 'QUERY_REFUND'
          | 'SETTLE_CALLBACK'
          | 'NOTIFY'
          | 'VERIFY_STATUS'
          | 'SETTLEMENT_WRITEBACK'
          | 'RELEASE_STOCK'
          | 'REVIEW'
          | 'START_EXECUTION'
          | 'RESUME_EXECUTION'
          | 'FETCH_BILL'
        readonly bizNo?: BizNo
        readonly status?: 'MANUAL' | 'RETRY' | 'CLOSED'
        readonly lane?: Lane
        readonly channel?: Channel
        readonly limit?: string
        readonly cursor?: string
      }
    }
    readonly answer: TasksPage
  }
  /** Have something asked or closed now. */
  createTask: { readonly input: { readonly body: CreateTask }; readonly answer: Task }
  /** Count a sku. */
  putStock: {
    readonly input: {
      readonly params: { readonly sku: Sku }
      readonly headers?: { readonly 'If-Match'?: string; readonly 'If-None-Match'?: string }
      readonly body: PutStock
    }
    readonly answer: Stock
  }
  /** Read what is there of a sku. */
  getStock: { readonly input: { readonly params: { readonly sku: Sku } }; readonly answer: Stock }
  /** Take in codes. */
  addCodes: {
    readonly input: { readonly params: { readonly sku: Sku }; readonly body: AddCodes }
    readonly answer: CodesAdded
  }
}

/** How each operation is called. */
export const operations: { readonly [Id in keyof Operations]: { readonly method: string; readonly path: string } } = {
  putOrder: { method: 'PUT', path: '/orders/{orderNo}' },
  getOrder: { method: 'GET', path: '/orders/{orderNo}' },
  startPayAttempt: { method: 'POST', path: '/orders/{orderNo}/pay-attempts' },
  addChannelRef: { method: 'PATCH', path: '/orders/{orderNo}/pay-attempts/{outTradeNo}' },
  closeOrder: { method: 'POST', path: '/orders/{orderNo}/close' },
  refreshOrder: { method: 'POST', path: '/orders/{orderNo}/refresh' },
  replayNotices: { method: 'POST', path: '/orders/{orderNo}/notices/replay' },
  getCodes: { method: 'GET', path: '/orders/{orderNo}/codes' },
  listTasks: { method: 'GET', path: '/tasks' },
  createTask: { method: 'POST', path: '/tasks' },
  putStock: { method: 'PUT', path: '/stock/{sku}' },
  getStock: { method: 'GET', path: '/stock/{sku}' },
  addCodes: { method: 'POST', path: '/stock/{sku}/codes' },
}
