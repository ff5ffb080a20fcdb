import type { CodeMeaning, CodeTable } from '../refusal.ts'

/** `trade_state` for us. Total: what is not here is no answer. Source: docs/channels/wechatpay.md, Trade states */
export const WECHATPAY_STATES: ReadonlyMap<string, 'paid' | 'refunded' | 'closable' | 'moving' | 'closed' | 'failed'> =
  new Map([
    ['SUCCESS', 'paid'],
    ['REFUND', 'refunded'],
    ['NOTPAY', 'closable'],
    ['USERPAYING', 'moving'],
    ['CLOSED', 'closed'],
    ['REVOKED', 'closed'],
    ['PAYERROR', 'failed'],
  ])

/** Not in WeChat's books: no code of {@link WECHATPAY_CODES}, since its meaning depends on the expiry. */
export const WECHATPAY_NOT_FOUND = 'ORDER_NOT_EXIST'

/** Error codes of query and close. Source: docs/channels/wechatpay.md, Result codes of query */
export const WECHATPAY_CODES: CodeTable = new Map<string, CodeMeaning>([
  ['PARAM_ERROR', 'wrongRequest'],
  ['INVALID_REQUEST', 'wrongRequest'],
  ['MCH_NOT_EXISTS', 'misconfigured'],
  ['SIGN_ERROR', 'misconfigured'],
  ['NO_AUTH', 'misconfigured'],
  ['RULE_LIMIT', 'rejected'],
  ['TRADE_ERROR', 'rejected'],
  ['FREQUENCY_LIMITED', 'transient'],
  ['SYSTEM_ERROR', 'unknown'],
])
