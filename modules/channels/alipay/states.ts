import type { CodeMeaning, CodeTable } from '../refusal.ts'

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

/** Gateway codes that speak of the call and not of a trade. Source: docs/channels/alipay.md, Result codes of query */
export const ALIPAY_GATEWAY_CODES: CodeTable = new Map<string, CodeMeaning>([
  ['20000', 'unknown'],
  ['20001', 'misconfigured'],
  ['40001', 'misconfigured'],
  ['40002', 'misconfigured'],
  ['40003', 'misconfigured'],
  ['40005', 'transient'],
  ['40006', 'misconfigured'],
])

/** Sub-codes of a business refusal (40004), by their tail. Source: docs/channels/alipay.md, Result codes of query */
export const ALIPAY_SUB_CODES: CodeTable = new Map<string, CodeMeaning>([
  ['SYSTEM_ERROR', 'unknown'],
  ['INVALID_PARAMETER', 'wrongRequest'],
])

/** Of 40002, the sub-code that is about a parameter of the call and not about its signature, app or format. Source: ADR 0016 */
export const ALIPAY_GATEWAY_SUB_CODES: CodeTable = new Map<string, CodeMeaning>([['invalid-parameter', 'wrongRequest']])

export const ALIPAY_NOT_FOUND = 'TRADE_NOT_EXIST'

/**
 * A trade that cannot be closed as it stands: paid this second, or closed already.
 * Source: docs/channels/alipay.md, Result codes of close
 */
export const ALIPAY_NOT_CLOSABLE: ReadonlySet<string> = new Set([
  'TRADE_STATUS_ERROR',
  'REASON_TRADE_STATUS_INVALID',
  'REASON_ILLEGAL_STATUS',
])
