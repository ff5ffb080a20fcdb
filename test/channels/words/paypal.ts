import type { PayAttemptRef } from '../../../modules/channels/client.ts'
import { clientOf } from '../../../modules/channels/clients.ts'
import { parsePaypal } from '../../../modules/channels/paypal/parse.ts'
import { queryPaypal } from '../../../modules/channels/paypal/query.ts'
import type { HttpResult } from '../../../modules/outgoing/http/send-request.ts'
import { anAnswer, answering, NOW_MS } from '../client-setup.ts'
import { ACCOUNT, CAPTURE, parse, signEvent, verify } from '../paypal/signed-event.ts'
import { type ChannelWords, statusIn, tellingOfParsed, UNDOCUMENTED, wordOfQuery } from './word-of.ts'

type Json = Readonly<Record<string, unknown>>

const KEYS = { clientId: 'app', clientSecret: 'app-secret' }
const UP = { rel: 'up', href: 'https://api.paypal.com/v2/payments/captures/CAPTURE1', method: 'GET' }
const REFUND = { ...CAPTURE, id: 'REFUND1', links: [UP] }
const DISPUTE = { dispute_id: 'PP-D-1', disputed_transactions: [{ seller_transaction_id: 'CAPTURE1' }] }
const ORDER = { id: 'PAYPALORDER1', purchase_units: [{ custom_id: 'ORDER_0001' }] }

function resourceOf(type: string): Json {
  if (/\.(REFUNDED|REVERSED)$|^PAYMENT\.REFUND\./.test(type)) return REFUND
  if (type.includes('.DISPUTE.')) return DISPUTE
  return type.startsWith('CHECKOUT.') ? ORDER : CAPTURE
}

const json = (status: number, body: Json): HttpResult => anAnswer(status, JSON.stringify(body))

function query(ref: PayAttemptRef, ...list: readonly HttpResult[]) {
  const channel = answering(...list)
  const session = { keys: KEYS, token: { text: 'A21-token', goodUntilMs: NOW_MS + 1 } }
  return { channel, answer: queryPaypal({ ...ref, channelRef: 'PAYPALORDER1' }, ACCOUNT, session, channel) }
}

function order(status: string, capture: Json): HttpResult {
  return json(200, {
    ...ORDER,
    status,
    purchase_units: [{ custom_id: 'ORDER_0001', payments: { captures: [capture] } }],
  })
}

/** The order's own status shows beside a capture that decides only when the order is completed. */
async function orderState(status: string): Promise<string> {
  const refused = { ...CAPTURE, status: 'DECLINED' }
  let asked = 0
  const word = await wordOfQuery(async (ref) => {
    const { channel, answer } = query(ref, order(status, refused), json(200, refused))
    const result = await answer
    asked = channel.sent.length
    return result
  }, 'waiting')
  return asked > 1 ? 'asks-on' : word
}

function captureState(status: string, when: string): Promise<string> {
  const reason = /reason (\w+)/.exec(when)?.[1]
  const capture = { ...CAPTURE, status, ...(reason !== undefined && { status_details: { reason } }) }
  const list = [order('COMPLETED', capture), json(200, capture)]
  return wordOfQuery((ref) => query(ref, ...list).answer, 'waiting')
}

/** One that was not told apart by a new token: the first answer is a 401 once more after it. */
function answerTo(code: string, when: string): readonly HttpResult[] {
  const name = code === '*' ? UNDOCUMENTED : code
  const refusal = json(statusIn(when), code.startsWith('invalid_') ? { error: name } : { name, message: '' })
  const token = json(200, { access_token: 'A21-second', expires_in: 31_668 })
  if (code === 'ok') return [order('COMPLETED', CAPTURE), json(200, CAPTURE)]
  if (when.endsWith('of a capture')) return [order('COMPLETED', CAPTURE), refusal]
  return statusIn(when) === 401 ? [refusal, token, refusal] : [refusal]
}

export const paypalWords: ChannelWords = {
  sample: async (text) => {
    const verification = await verify(signEvent(text))
    return verification.ok ? tellingOfParsed(parsePaypal(verification.verified, ACCOUNT, {})) : 'refused'
  },
  event: async (code) => {
    const type = code === '*' ? 'WHO.KNOWS' : code
    return tellingOfParsed(await parse(type, resourceOf(type)))
  },
  state: (code, when) => {
    const word = code === '*' ? UNDOCUMENTED : code
    return when === 'order' ? orderState(word) : captureState(word, when)
  },
  query: async (code, when) => {
    const word = await wordOfQuery((ref) => query(ref, ...answerTo(code, when)).answer, 'not-found')
    return word === 'paid' ? 'answered' : word
  },
  close: async () => (clientOf(ACCOUNT).openKeys('{}').close === undefined ? 'unsupported' : 'closed'),
}
