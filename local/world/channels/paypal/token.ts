import { createHmac } from 'node:crypto'
import { type ApiAnswer, type ApiRequest, answerJson } from '../protocol.ts'

/** About 8.8 hours. Source: docs/channels/paypal.md, Query */
const LIFE_S = 31_668

/** Of the REST app. */
export interface PaypalApp {
  readonly clientId: string
  readonly clientSecret: string
}

/** POST /v1/oauth2/token: a token that carries its end, so that nothing need be kept of it. */
export function issueToken(app: PaypalApp, request: ApiRequest, nowMs: number): ApiAnswer {
  const basic = `Basic ${Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64')}`
  if (request.headers['authorization'] !== basic) {
    return answerJson(401, { error: 'invalid_client', error_description: 'Client Authentication failed' })
  }
  if (new URLSearchParams(request.body.toString('utf8')).get('grant_type') !== 'client_credentials') {
    return answerJson(400, { error: 'unsupported_grant_type', error_description: 'Grant Type is NULL' })
  }
  const endsAtS = Math.floor(nowMs / 1000) + LIFE_S
  return answerJson(200, {
    scope: 'https://uri.paypal.com/services/payments/payment',
    access_token: tokenOf(app, endsAtS),
    token_type: 'Bearer',
    app_id: 'APP-80W284485P519543T',
    expires_in: LIFE_S,
  })
}

/** Whether the request carries a token of ours that has not ended. */
export function hasToken(app: PaypalApp, request: ApiRequest, nowMs: number): boolean {
  const match = /^Bearer (A21AA(\d{10,})\.\S+)$/.exec(request.headers['authorization'] ?? '')
  const endsAtS = Number(match?.[2] ?? Number.NaN)
  return match?.[1] === tokenOf(app, endsAtS) && endsAtS * 1000 > nowMs
}

function tokenOf({ clientSecret }: PaypalApp, endsAtS: number): string {
  return `A21AA${endsAtS}.${createHmac('sha256', clientSecret).update(String(endsAtS)).digest('base64url')}`
}
