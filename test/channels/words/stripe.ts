import { closeStripe } from '../../../modules/channels/stripe/close.ts'
import { parseStripe } from '../../../modules/channels/stripe/parse.ts'
import { queryStripe } from '../../../modules/channels/stripe/query.ts'
import type { HttpResult } from '../../../modules/outgoing/http/send-request.ts'
import { anAnswer, answering } from '../client-setup.ts'
import * as answers from '../stripe/api-answers.ts'
import * as notices from '../stripe/signed-event.ts'
import { type ChannelWords, statusIn, tellingOfParsed, UNDOCUMENTED, wordOfClose, wordOfQuery } from './word-of.ts'

type Json = Readonly<Record<string, unknown>>

const OF_INTENT = { payment_intent: 'pi_1', currency: 'cny', metadata: {} }
const OBJECTS: Readonly<Record<string, Json>> = {
  payment_intent: notices.INTENT,
  charge: { ...OF_INTENT, id: 'ch_1', object: 'charge', amount: 8800, amount_refunded: 1000 },
  refund: { ...OF_INTENT, id: 're_1', object: 'refund', charge: 'ch_1', amount: 1000, status: 'succeeded' },
  dispute: { ...OF_INTENT, id: 'du_1', object: 'dispute', charge: 'ch_1', amount: 8800, status: 'needs_response' },
  session: {
    ...OF_INTENT,
    id: 'cs_1',
    object: 'checkout.session',
    mode: 'payment',
    payment_status: 'paid',
    amount_total: 8800,
    client_reference_id: 'ORDER_0001',
  },
}

function objectOf(type: string): Json {
  const named = Object.keys(OBJECTS).filter((name) => type.split('.').slice(0, -1).includes(name))
  return OBJECTS[named.at(-1) ?? ''] ?? { id: 'obj_1', metadata: {} }
}

/** `status pending` in the condition is a field of the object. */
function fieldIn(when: string): Json {
  const [, name = '', value = ''] = /^(\w+) (\w+)$/.exec(when) ?? []
  return name === '' ? {} : { [name]: /^\d+$/.test(value) ? Number(value) : value }
}

function isThin(code: string, when: string): boolean {
  return /^v\d\./.test(code) || when.startsWith('thin')
}

function thinEvent(type: string, when: string): string {
  const payment = { id: answers.INTENT_ID, type: 'payment_intent', url: `/v1/payment_intents/${answers.INTENT_ID}` }
  const related_object = when.includes('payment object') ? payment : null
  return JSON.stringify({ id: 'evt_thin_1', object: 'v2.core.event', type, livemode: true, related_object })
}

const NOT_OPEN = 'Only Checkout Sessions with a status in ["open"] can be expired.'
const OTHER_MODE = 'No such object; a similar object exists in live mode, but a test mode key was used.'

function answerTo(code: string, when: string): HttpResult {
  const message = when.includes('the other mode') ? OTHER_MODE : when.includes('only open sessions') ? NOT_OPEN : ''
  const name = code === '*' ? UNDOCUMENTED : code
  const type = /^(api_error|card_error|idempotency_error|invalid_request_error)$/.test(name)
  return answers.refusal(statusIn(when), type ? { type: name, message } : { code: name, message })
}

function stateOf(code: string, when: string): Json {
  const charge = { ...answers.INTENT.latest_charge, refunded: when === 'all of it refunded', amount_refunded: 0 }
  const received = when === 'amount_received 0' ? { amount_received: 0 } : {}
  return { ...answers.INTENT, status: code === '*' ? UNDOCUMENTED : code, latest_charge: charge, ...received }
}

const SANDBOX = { ...notices.ACCOUNT, livemode: false }

export const stripeWords: ChannelWords = {
  sample: async (text) => {
    const verification = notices.verify(notices.sign(text), SANDBOX)
    return verification.ok ? tellingOfParsed(parseStripe(verification.verified, SANDBOX, notices.KEYS)) : 'refused'
  },
  event: async (code, when) => {
    const type = code === '*' ? 'who.knows' : code
    if (isThin(code, when)) return tellingOfParsed(notices.parse(thinEvent(type, when)))
    return tellingOfParsed(notices.parse(notices.anEvent(type, { ...objectOf(type), ...fieldIn(when) })))
  },
  state: async (code, when) => {
    if (when !== 'session') {
      const answer = anAnswer(200, JSON.stringify(stateOf(code, when)))
      return wordOfQuery((ref) => answers.query({ ...answers.REF, expiresAt: ref.expiresAt }, answer), 'waiting')
    }
    const session = { id: 'cs_test_1', object: 'checkout.session', livemode: false, status: code }
    const channelRef = 'cs_test_1'
    const found = { ...session, payment_intent: code === 'complete' ? answers.INTENT_ID : null }
    const list = [anAnswer(200, JSON.stringify(found)), answers.intent()]
    const channel = answering(...list, ...list)
    const ask = (ref: typeof answers.REF) => queryStripe({ ...ref, channelRef }, answers.ACCOUNT, answers.KEYS, channel)
    const word = await wordOfQuery(ask, 'waiting')
    return channel.sent.length > 1 && word === 'paid' ? 'asks-on' : word
  },
  query: async (code, when) => {
    const answer = code === 'ok' ? answers.intent() : answerTo(code, when)
    const ask = (ref: typeof answers.REF) => answers.query({ ...ref, channelRef: answers.INTENT_ID }, answer)
    const word = await wordOfQuery(ask, 'not-found')
    return word === 'paid' ? 'answered' : word
  },
  close: (code, when) =>
    wordOfClose(async (ref) => {
      const channelRef = when.includes('only open sessions') ? 'cs_test_1' : answers.INTENT_ID
      const channel = answering(closingAnswer(code, when), answers.intent(), answers.intent())
      return { answer: await closeStripe({ ...ref, channelRef }, answers.ACCOUNT, answers.KEYS, channel), channel }
    }),
}

function closingAnswer(code: string, when: string): HttpResult {
  if (code === 'ok') return answers.intent({ status: 'canceled' })
  return code === 'payment_intent_unexpected_state' ? answers.unexpectedState('succeeded') : answerTo(code, when)
}
