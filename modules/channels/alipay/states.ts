import { type CodeMeaning, type CodeTable, spellingBlind } from '../refusal.ts'

/**
 * `trade_status` of a notice; `paid` and `closed` may tell of a refund as well. What is not here is unknown: a status of the
 * future, or a notice that is not about a trade.
 * Source: docs/channels/alipay.md, Event types
 */
export const ALIPAY_NOTICES: ReadonlyMap<string, 'paid' | 'closed' | 'waiting'> = new Map([
  ['WAIT_BUYER_PAY', 'waiting'],
  ['TRADE_SUCCESS', 'paid'],
  ['TRADE_FINISHED', 'paid'],
  ['TRADE_CLOSED', 'closed'],
])

/**
 * `trade_status` for us; TRADE_CLOSED is told apart by `send_pay_date`. Total: what is not here is no answer.
 * Source: docs/channels/alipay.md, Trade states
 */
export const ALIPAY_STATES: ReadonlyMap<string, 'paid' | 'closedOrRefunded' | 'closable'> = new Map([
  ['WAIT_BUYER_PAY', 'closable'],
  ['TRADE_SUCCESS', 'paid'],
  ['TRADE_FINISHED', 'paid'],
  ['TRADE_CLOSED', 'closedOrRefunded'],
])

/**
 * Gateway codes that speak of the call and not of a trade. An answer without a sub-code of the tables below means this.
 * Source: docs/channels/alipay.md, Result codes of query
 */
export const ALIPAY_GATEWAY_CODES: CodeTable = new Map<string, CodeMeaning>([
  ['20000', 'unknown'],
  ['20001', 'misconfigured'],
  ['40001', 'misconfigured'],
  ['40002', 'misconfigured'],
  ['40003', 'misconfigured'],
  ['40005', 'transient'],
  ['40006', 'misconfigured'],
])

/**
 * Sub-codes of a business refusal (40004), by their tail. Permission codes of the gateway occur there as well, and are ours to fix.
 * Source: docs/channels/alipay.md, Result codes of query
 */
export const ALIPAY_SUB_CODES: CodeTable = spellingBlind<CodeMeaning>({
  SYSTEM_ERROR: 'unknown',
  INVALID_PARAMETER: 'wrongRequest',
  ACCESS_FORBIDDEN: 'misconfigured',
  PARTNER_ERROR: 'misconfigured',
  MERCHANT_STATUS_NOT_NORMAL: 'misconfigured',
  MERCHANT_AGREEMENT_NOT_EXIST: 'misconfigured',
  MERCHANT_AGREEMENT_INVALID: 'misconfigured',
  'insufficient-isv-permissions': 'misconfigured',
  'insufficient-user-permissions': 'misconfigured',
  'route-no-permissions': 'misconfigured',
  'invalid-app-auth-token': 'misconfigured',
  'invalid-app-auth-token-no-api': 'misconfigured',
  'app-auth-token-time-out': 'misconfigured',
  'no-product-reg-by-partner': 'misconfigured',
  'invalid-app-id': 'misconfigured',
  'forbidden-api': 'misconfigured',
  'app-call-limited': 'transient',
  'method-call-limited': 'transient',
})

/** Of 40002, the sub-code that is about a parameter of the call and not about its signature, app or format. Source: ADR 0016 */
export const ALIPAY_GATEWAY_SUB_CODES: CodeTable = spellingBlind<CodeMeaning>({ 'invalid-parameter': 'wrongRequest' })

export const ALIPAY_NOT_FOUND = 'TRADE_NOT_EXIST'

/**
 * A trade that cannot be closed as it stands: paid this second, or closed already.
 * Source: docs/channels/alipay.md, Result codes of close
 */
export const ALIPAY_NOT_CLOSABLE: ReadonlyMap<string, 'ask'> = spellingBlind({
  TRADE_STATUS_ERROR: 'ask',
  REASON_TRADE_STATUS_INVALID: 'ask',
  REASON_ILLEGAL_STATUS: 'ask',
})
