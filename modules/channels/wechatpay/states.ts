import { type CodeMeaning, type CodeTable, spellingBlind } from '../refusal.ts'

/**
 * `trade_state` for us. Total: what is not here is no answer. `undone` was reversed in the shop: closes what was not paid, and gives
 * back what was.
 * Source: docs/channels/wechatpay.md, Trade states
 */
export const WECHATPAY_STATES: ReadonlyMap<
  string,
  'paid' | 'refunded' | 'closable' | 'moving' | 'closed' | 'undone' | 'failed'
> = new Map([
  ['SUCCESS', 'paid'],
  ['REFUND', 'refunded'],
  ['NOTPAY', 'closable'],
  ['USERPAYING', 'moving'],
  ['ACCEPT', 'moving'],
  ['CLOSED', 'closed'],
  ['REVOKED', 'undone'],
  ['PAYERROR', 'failed'],
])

/** Not in WeChat's books: no code of {@link WECHATPAY_CODES}, since its meaning depends on the expiry. */
export const WECHATPAY_NOT_FOUND = 'ORDER_NOT_EXIST'

/** The buyer is entering the password: an answer instead of a state. */
export const WECHATPAY_PAYING = 'USER_PAYING'

/**
 * Error codes of query and close, in whatever spelling: its pages have each of them with and without underscores.
 * Source: docs/channels/wechatpay.md, Result codes of query
 */
export const WECHATPAY_CODES: CodeTable = spellingBlind<CodeMeaning>({
  PARAM_ERROR: 'wrongRequest',
  INVALID_REQUEST: 'wrongRequest',
  MCH_NOT_EXISTS: 'misconfigured',
  APPID_MCHID_NOT_MATCH: 'misconfigured',
  SIGN_ERROR: 'misconfigured',
  NO_AUTH: 'misconfigured',
  RULE_LIMIT: 'rejected',
  TRADE_ERROR: 'rejected',
  FREQUENCY_LIMITED: 'transient',
  FREQUENCY_LIMIT_EXCEED: 'transient',
  SYSTEM_ERROR: 'unknown',
  BANK_ERROR: 'unknown',
  OPENID_MISMATCH: 'unknown',
  INVALID_TRANSACTIONID: 'unknown',
  ORDER_CLOSED: 'unknown',
  ACCOUNT_ERROR: 'unknown',
  NOT_ENOUGH: 'unknown',
  OUT_TRADE_NO_USED: 'unknown',
})
