import { randomBytes } from 'node:crypto'
import { CALL_LIMITS, type SendRequest, sendRequest } from '../outgoing/http/send-request.ts'
import type { ChannelAccount } from './account.ts'
import { closeAdyen } from './adyen/close.ts'
import { readAdyenKeys } from './adyen/keys.ts'
import { closeAlipay } from './alipay/close.ts'
import { readAlipayKeys } from './alipay/keys.ts'
import { queryAlipay } from './alipay/query.ts'
import { noAnswer } from './answers.ts'
import { isPathPart } from './api-url.ts'
import type {
  ClientDeps,
  CloseAnswer,
  ClosePayment,
  PayAttemptRef,
  QueryAnswer,
  QueryPayment,
  QueryRefund,
  RefundAnswer,
  RefundRef,
} from './client.ts'
import { readPaypalKeys } from './paypal/keys.ts'
import { queryPaypal } from './paypal/query.ts'
import { queryPaypalRefund } from './paypal/query-refund.ts'
import type { PaypalSession } from './paypal/session.ts'
import { readStandardWebhooksKeys } from './standard-webhooks/keys.ts'
import { closeStripe } from './stripe/close.ts'
import { readStripeKeysOf } from './stripe/keys.ts'
import { queryStripe } from './stripe/query.ts'
import { queryStripeRefund } from './stripe/query-refund.ts'
import { closeWechatpay } from './wechatpay/close.ts'
import { readWechatpayKeys } from './wechatpay/keys.ts'
import { queryWechatpay } from './wechatpay/query.ts'

/** A channel's outgoing calls; what is absent is unsupported, and not "not yet". */
export interface ChannelClient {
  readonly query?: (ref: PayAttemptRef) => Promise<QueryAnswer>
  readonly close?: (ref: PayAttemptRef) => Promise<CloseAnswer>
  readonly queryRefund?: (ref: RefundRef) => Promise<RefundAnswer>
}

/** A channel's outgoing calls bound to one account, whatever the form of its keys. */
export interface AccountClient {
  /** Known without the secret: whether the opened client has a `query`, a `close` and a `queryRefund`. */
  readonly canQuery: boolean
  readonly canClose: boolean
  readonly canQueryRefund: boolean
  /** Reads the secret's text once; kept as long as the secret is. @throws KeyFormatError naming the field that is wrong */
  openKeys(secret: string): ChannelClient
}

/** All requests of one question or one closing together; three of these, one after the other, fit into the worker's 60 s. */
export const CLIENT_BUDGET_MS = 12_000

const REAL: ClientDeps = { http: sendRequest, nowMs: Date.now, nonce: () => randomBytes(16).toString('hex') }

/** The client of an account's kind. */
export function clientOf(account: ChannelAccount, deps: ClientDeps = REAL): AccountClient {
  switch (account.kind) {
    case 'stripe':
      return bind(
        { query: queryStripe, close: closeStripe, queryRefund: queryStripeRefund },
        (secret) => readStripeKeysOf(account, secret),
        account,
        deps,
      )
    case 'alipay':
      return bind({ query: queryAlipay, close: closeAlipay }, readAlipayKeys, account, deps)
    case 'wechatpay':
      return bind({ query: queryWechatpay, close: closeWechatpay }, readWechatpayKeys, account, deps)
    case 'adyen':
      return bind({ close: closeAdyen }, readAdyenKeys, account, deps)
    case 'paypal': {
      const readSession = (secret: string): PaypalSession => ({ keys: readPaypalKeys(secret) })
      return bind({ query: queryPaypal, queryRefund: queryPaypalRefund }, readSession, account, deps)
    }
    case 'standard-webhooks':
      return bind({}, readStandardWebhooksKeys, account, deps)
    default:
      return account satisfies never
  }
}

/** Which of the accounts' channels can be asked what of a payment's money went back. */
export function asksBack(accounts: readonly ChannelAccount[]): (channel: string) => boolean {
  const able = new Set(accounts.filter((account) => clientOf(account).canQueryRefund).map(({ id }) => id as string))
  return (channel) => able.has(channel)
}

interface Calls<Account, Keys> {
  readonly query?: QueryPayment<Account, Keys>
  readonly close?: ClosePayment<Account, Keys>
  readonly queryRefund?: QueryRefund<Account, Keys>
}

function bind<Account extends ChannelAccount, Keys>(
  { query, close, queryRefund }: Calls<Account, Keys>,
  readKeys: (secret: string) => Keys,
  account: Account,
  deps: ClientDeps,
): AccountClient {
  return {
    canQuery: query !== undefined,
    canClose: close !== undefined,
    canQueryRefund: queryRefund !== undefined,
    openKeys(secret) {
      const keys = readKeys(secret)
      return {
        ...(query !== undefined && {
          query: async (ref) => refusedRef(ref) ?? query(ref, account, keys, withinBudget(deps)),
        }),
        ...(close !== undefined && {
          close: async (ref) => refusedRef(ref) ?? close(ref, account, keys, withinBudget(deps)),
        }),
        ...(queryRefund !== undefined && {
          queryRefund: (ref) => queryRefund(usable(ref), account, keys, withinBudget(deps)),
        }),
      }
    },
  }
}

/** A reference that is a step in a path would have another address asked, at any channel: nothing is sent. */
function refusedRef({ channelRef }: PayAttemptRef): QueryAnswer | undefined {
  if (channelRef === undefined || isPathPart(channelRef)) return undefined
  const message = 'The channelRef cannot stand in an address. Start another payment attempt with the right one.'
  return noAnswer({ kind: 'misconfigured', suspect: 'request', code: 'CHANNEL_REF_UNUSABLE', message })
}

/** What a hint named and what is a step in a path cannot be: it is not asked for. The payment's own number is checked where it is read. */
function usable({ refundIds, disputeIds, ...ref }: RefundRef): RefundRef {
  return {
    ...ref,
    ...(refundIds !== undefined && { refundIds: refundIds.filter(isPathPart) }),
    ...(disputeIds !== undefined && { disputeIds: disputeIds.filter(isPathPart) }),
  }
}

/** Deps whose requests together stay within the budget; one that no time is left for is provably not sent. */
function withinBudget(deps: ClientDeps): ClientDeps {
  const endsAtMs = deps.nowMs() + CLIENT_BUDGET_MS
  const http: SendRequest = async (request, limits = CALL_LIMITS) => {
    const totalTimeoutMs = Math.min(limits.totalTimeoutMs, endsAtMs - deps.nowMs())
    if (totalTimeoutMs <= 0) return { kind: 'failure', networkErrorType: 'connect-timeout' }
    return deps.http(request, { ...limits, totalTimeoutMs })
  }
  return { ...deps, http }
}
